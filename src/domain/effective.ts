/** How `effective` of a session is derived. In its own file, so that the companion page loads no field definitions. */

interface Pain {
  painBefore: number;
  painAfter: number;
}

/** The value of `effective` that a prompt suggests: pain fell. */
export function suggestEffective(painBefore: number, painAfter: number): boolean {
  return painAfter < painBefore;
}

/**
 * The value of `effective` after a change of the pain of a session, derived from the new pain.
 * @returns undefined if the stored value is not the one that the stored pain suggests: the person chose it, so it stays
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
