/** Sessions drawn from known laws, discrete on 1 to 10 as records are. */
export interface Session {
  readonly painBefore: number;
  readonly painAfter: number;
}

/** A law of sessions: how likely each pain after is from each pain before, and the true mean change. */
export interface Law {
  readonly name: string;
  readonly truth: number;
  draw(random: () => number): Session;
}

/** Part of the sessions of a law: what is added to the pain before, and how much that varies. */
interface Component {
  readonly chance: number;
  readonly effect: number;
  readonly deviation: number;
}

/** Where sessions start: mean and standard deviation of the pain before, before it is rounded. */
const MIDDLE = { mean: 5.5, deviation: 1.2 };
const LOW = { mean: 2.2, deviation: 1 };

export const clamp = (value: number): number => Math.min(10, Math.max(1, Math.round(value)));

/** Standard normal quadrature: nodes and weights that sum to 1. */
const NODES = Array.from({ length: 200 }, (_, i) => (i - 99.5) / 20);
const DENSITIES = NODES.map((z) => Math.exp((-z * z) / 2));
const TOTAL = DENSITIES.reduce((a, b) => a + b, 0);

/** The chance of each level 1 to 10 of a rounded and clamped normal variable. */
function levels(mean: number, deviation: number): number[] {
  const chances = new Array<number>(10).fill(0);
  for (const [i, z] of NODES.entries()) {
    const level = clamp(mean + deviation * z) - 1;
    chances[level] = (chances[level] ?? 0) + (DENSITIES[i] ?? 0) / TOTAL;
  }
  return chances;
}

export function lawOf(name: string, components: readonly Component[], start = MIDDLE): Law {
  const cumulative: number[] = [];
  const sessions: Session[] = [];
  let sum = 0;
  let truth = 0;
  for (const [i, chanceBefore] of levels(start.mean, start.deviation).entries())
    for (const { chance, effect, deviation } of components)
      for (const [j, chanceAfter] of levels(i + 1 + effect, deviation).entries()) {
        const weight = chanceBefore * chance * chanceAfter;
        if (weight === 0) continue;
        sum += weight;
        truth += weight * (j - i);
        cumulative.push(sum);
        sessions.push({ painBefore: i + 1, painAfter: j + 1 });
      }
  return {
    name,
    truth,
    draw(random) {
      const at = random() * sum;
      let [low, high] = [0, cumulative.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((cumulative[middle] ?? 0) > at) high = middle;
        else low = middle + 1;
      }
      return sessions[low] as Session;
    },
  };
}

/** Changes around an effect, without anything else. */
export const plain = (deviation: number, effect: number): Law =>
  lawOf(`standard deviation ${deviation}`, [{ chance: 1, effect, deviation }]);

/** The laws of the published tables, each by the effect that shifts every session. */
export const laws: ((effect: number) => Law)[] = [
  (effect) => plain(1, effect),
  (effect) => plain(1.5, effect),
  (effect) => plain(2, effect),
  (effect) =>
    lawOf('flares of 4 points in 15 %', [
      { chance: 0.85, effect: effect - 0.6, deviation: 0.8 },
      { chance: 0.15, effect: effect + 3.4, deviation: 1 },
    ]),
  (effect) =>
    lawOf('flares of 4 points in 5 %', [
      { chance: 0.95, effect: effect - 0.2, deviation: 0.8 },
      { chance: 0.05, effect: effect + 3.8, deviation: 1 },
    ]),
  (effect) =>
    lawOf('relief of 4 points in 10 %', [
      { chance: 0.9, effect: effect + 0.4, deviation: 0.5 },
      { chance: 0.1, effect: effect - 3.6, deviation: 1 },
    ]),
  (effect) => lawOf('low base', [{ chance: 1, effect, deviation: 1 }], LOW),
];

/** The law without effect: shifted until its true mean change is 0. */
export function withoutEffect(law: (effect: number) => Law): Law {
  let [low, high] = [-2, 2];
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2;
    if (law(middle).truth < 0) low = middle;
    else high = middle;
  }
  return law(high);
}

/** A standard normal variable (Box & Muller 1958). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
