/**
 * As a function of a text, but the results of the texts that were asked for last are kept.
 * @param work throws for a text that has no result, and gives the same for the same text
 * @param bounds how many results are kept, and of how long a text at most
 */
export function remembered<T extends object>(
  work: (text: string) => T,
  { most = 256, longest = 256 } = {},
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const kept = known.get(text);
    if (kept) return kept;
    const result = work(text);
    if (text.length > longest) return result;
    if (known.size >= most) known.clear();
    known.set(text, result);
    return result;
  };
}
