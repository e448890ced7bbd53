// Whether a figure that was sampled over time stays where it is.

/** Per sample: the median of the slopes between every two, which a few outliers do not move. */
export function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((value, at) =>
    values.slice(at + 1).map((later, distance) => (later - value) / (distance + 1)),
  );
  return median(slopes);
}

/** 0 of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
