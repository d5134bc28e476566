import { Problem } from './problem.ts';

/** The members of an Accept or Accept-Encoding header, with their weights, 0 to 1 (RFC 9110, 12.4.2). */
export function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    if (name !== '') weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

/**
 * The offered media type with the highest weight in Accept (RFC 9110, 12.5.1); the first of several with the same weight.
 * @throws Problem 406 when none of them is acceptable
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const [usual] = offered;
  if (accept === undefined || accept === '*/*' || accept === usual) return usual;
  const weights = weightsOf(accept);
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.split('/')[0]}/*`) ?? weights.get('*/*') ?? 0;
  const best = offered.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  if (weightOf(best) > 0) return best;
  throw new Problem(406, `This can be had as ${offered.join(', ')}.`);
}
