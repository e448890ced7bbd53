// Prices of the traffic: a walk for each asset as a function of time, without state, so that a restart goes on
// with the same prices (value noise in octaves).

/** Octaves of noise: a slow trend with quicker, smaller moves on top. */
const OCTAVES = [
  { periodSeconds: 14_400, swing: 1 },
  { periodSeconds: 1_800, swing: 0.3 },
  { periodSeconds: 240, swing: 0.08 },
  { periodSeconds: 30, swing: 0.02 },
] as const;

export type PriceWalk = {
  readonly seed: number;
  /** USD per token the walk swings about. */
  readonly usd: number;
  /** Largest swing of the slowest octave, as a part of the price. */
  readonly volatility: number;
};

/** USD per token at `now` (UNIX seconds): positive, the same on every machine. */
export function usdAt(walk: PriceWalk, now: number): number {
  let price = walk.usd;
  for (const [octave, { periodSeconds, swing }] of OCTAVES.entries()) {
    const step = Math.floor(now / periodSeconds);
    const part = (now - step * periodSeconds) / periodSeconds;
    const from = noise(walk.seed + octave, step);
    const to = noise(walk.seed + octave, step + 1);
    price *= 1 + walk.volatility * swing * (from + (to - from) * part);
  }
  return price;
}

/** From -1 to 1, a hash of both arguments (the finisher of MurmurHash3, by Austin Appleby). */
function noise(seed: number, step: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(step, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) / 2 ** 31 - 1;
}

/** `ratio` as a contract price: times 10^18, at least 1. */
export function contractPrice(ratio: number): bigint {
  const scaled = (BigInt(Math.round(ratio * 2 ** 60)) * 10n ** 18n) >> 60n;
  return scaled > 0n ? scaled : 1n;
}
