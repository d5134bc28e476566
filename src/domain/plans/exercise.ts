export * from '../exercise.ts';
