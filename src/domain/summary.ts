import { boolean, choice, date, integer } from './fields.ts';
import { logFilterFields } from './log.ts';

/** The names of the response rules, which src/insights/rules.ts defines: when a session counts as a response. */
export const responseRuleNames = ['default', 'radicular'] as const;
export type ResponseRuleName = (typeof responseRuleNames)[number];

const { since, until, exerciseType } = logFilterFields;

const rule = choice({
  label: 'Rule',
  flag: 'rule',
  help: 'When a session counts as a response: default is 2 points or 30 %, radicular (pain from a nerve root) 1.75 points or 23.5 %',
  choices: responseRuleNames,
  example: 'default',
});

const target = integer({
  label: 'Target',
  flag: 'target',
  help: 'Sessions per week to compare with, otherwise the goal; for somebody with routines, up to 7 counts days',
  min: 1,
  max: 100,
  example: 4,
});

/** Parameters of a summary. */
export const summaryFields = { since, until, exerciseType, rule, target };

/** Parameters of a comparison of two periods. */
export const comparisonFields = {
  since,
  until,
  exerciseType,
  rule,
  before: date({
    label: 'Before',
    flag: 'before',
    help: 'Compare everything before this day with this day and everything after it',
    example: '2026-03-15',
  }),
};

/** Parameters of a report. */
export const reportFields = {
  since,
  until,
  previous: date({
    label: 'Previous',
    flag: 'previous',
    help: 'Day of the last report: shows what changed since',
    example: '2026-03-15',
  }),
  rule,
  target,
  full: boolean({
    label: 'Full',
    flag: 'full',
    help: 'Every note; otherwise the latest 20, and from 300 sessions on only those of pain entries, of trial days, and of sessions after which pain had risen',
    example: true,
  }),
};

/** Option that leaves out the identifying fields of the user. */
export const anonymous = boolean({
  label: 'Anonymous',
  flag: 'anonymous',
  help: 'Leave out first name, last name and e-mail address',
  example: true,
});
