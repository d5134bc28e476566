export * from '../where.ts';
