import type { ResponseRuleName } from '../domain/summary.ts';
import type { ResponseRule } from './shapes.ts';

/** The response rules by name. */
export const responseRules = {
  default: {
    name: 'default',
    points: 2,
    percent: 30,
    source: 'Ostelo et al. 2008, Spine 33(1):90–94: back pain, consensus on the minimal important change',
  },
  radicular: {
    name: 'radicular',
    points: 1.75,
    percent: 23.5,
    source:
      '“Which regional pain rating best predicts patient-reported improvement in lumbar radiculopathy?” (PMC6585397): leg pain one month after treatment, 352 patients',
  },
} as const satisfies Record<ResponseRuleName, ResponseRule>;

/**
 * Whether a session responds: pain fell by at least `points`, or by at least `percent` of the pain before,
 * whichever is reached first. From a low pain before, a single point can be enough (3 to 2 is 33 %, 2 to 1
 * is 50 %); from 1 nothing can, for the scale ends there.
 */
export function responds(painBefore: number, painAfter: number, rule: ResponseRule): boolean {
  const fall = painBefore - painAfter;
  return fall >= rule.points || fall * 100 >= rule.percent * painBefore;
}

/** The rule in words: `at least 2 points or 30 %`. */
export function describeRule(rule: ResponseRule): string {
  return `at least ${rule.points} points or ${rule.percent} %`;
}
