export * from '../sort.ts';
