export * from './compare.ts';
export type { Period } from './days.ts';
export * from './exercises.ts';
export * from './places.ts';
export type { Rhythm } from './rhythm.ts';
export * from './rules.ts';
export type { Interval } from './stats/interval.ts';
export * from './summary.ts';
export type { Direction, PainLevel, Trend } from './trend.ts';
