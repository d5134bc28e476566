export * from '../routine.ts';
