/** What `effective` of a session follows from; apart from its fields, which the page for phones does without. */

interface Pain {
  painBefore: number;
  painAfter: number;
}

/** The value of `effective` that a prompt suggests: pain fell. */
export function suggestEffective(painBefore: number, painAfter: number): boolean {
  return painAfter < painBefore;
}

/**
 * Whether a session helped, by the pain that it has once it is changed.
 * @returns undefined if the person said otherwise than the pain it had
 */
export function effectiveAfter(
  current: Pain & { effective: boolean },
  given: Partial<Pain>,
): boolean | undefined {
  const { painBefore, painAfter } = { ...current, ...given };
  return current.effective === suggestEffective(current.painBefore, current.painAfter)
    ? suggestEffective(painBefore, painAfter)
    : undefined;
}
