export * from '../goal.ts';
