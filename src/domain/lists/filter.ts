export * from '../filter.ts';
