// Numbers that follow from a seed: the same seed drives the same requests.

/** In [0, 1). */
export type Random = () => number;

/** xorshift32, started where neighbouring seeds lie far apart: plenty for choosing requests. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e37_79b1) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random() * from.length)];
}

/** The first ones more often: a few markets have most of the users. */
export function pickPopular<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random() ** 2 * from.length)];
}
