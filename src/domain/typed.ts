import type { Field } from './fields.ts';
import { choiceMeant } from './words/choice.ts';
import { levelMeant } from './words/pain-words.ts';
import { inPlainDigits, parseDay } from './words/spoken-day.ts';

/**
 * Converts a text that a person typed for a field to the form that its codec parses: a day in words, the beginning of a choice,
 * a level of pain such as `6/10`, digits of another script.
 * @returns the text as it is where it has no such meaning, for the schema to refuse
 */
export function textMeant(field: Field, text: string, today: string): string {
  if (field.kind === 'date') return parseDay(text, today, field.edge);
  if (field.kind === 'integer') return field.max === 10 ? levelMeant(text) : inPlainDigits(text);
  return (field.kind === 'choice' && choiceMeant(text, field.choices)) || text;
}

/** Whether a text says that an optional field has no value: `none`, as prompts call it, or nothing. */
export const saysNone = ({ optional }: Field, text: string): boolean =>
  optional === true && /^(?:none)?$/i.test(text);
