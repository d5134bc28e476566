/** Ignores letter case; spaces and underscores count as hyphens. */
const folded = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');

/**
 * The choice that a typed text means: the one of that name, otherwise the only one that begins with it.
 * @returns undefined if it means none, or several
 */
export function choiceMeant<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): Choice | undefined {
  const wanted = folded(text);
  const whole = choices.find((choice) => choice === wanted);
  const [begun, ...others] = wanted === '' ? [] : choices.filter((choice) => choice.startsWith(wanted));
  return whole ?? (others.length === 0 ? begun : undefined);
}
