/** Which of the known names a person means by a few letters. */

/** A name normalized for comparison: letter case and Unicode composition make no difference. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');

/** A text without letter case and diacritical marks: `Dehnübung` and `dehnubung` become the same. */
export const withoutCaseAndMarks = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim().replace(/\s+/g, ' ');

/**
 * The names that a text can mean. A whole name counts before parts of names: the very name, else those that differ in
 * case or marks only, else those that contain each word of the text or have it as their initials.
 * @returns several where it is not clear; none where no name fits
 */
export function namesMeant(text: string, names: readonly string[]): string[] {
  const whole = wholeNamesMeant(text, names);
  const wanted = withoutCaseAndMarks(text);
  return whole.length > 0 || wanted === ''
    ? whole
    : names.filter((name) => fits(wanted, withoutCaseAndMarks(name)));
}

/** As `namesMeant`, of whole names only: the very name, else all that differ in case or marks only. */
export function wholeNamesMeant(text: string, names: readonly string[]): string[] {
  if (names.includes(text)) return [text];
  const wanted = withoutCaseAndMarks(text);
  return wanted === '' ? [] : names.filter((name) => withoutCaseAndMarks(name) === wanted);
}

function fits(wanted: string, name: string): boolean {
  return wanted.split(' ').every((word) => name.includes(word)) || wanted === initials(name);
}

/** `slr` for "straight leg raise". */
function initials(name: string): string {
  return name
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => [...word][0] ?? '')
    .join('');
}
