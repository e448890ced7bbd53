// What a bench file exports as `bench`: it measures, checks that what it measured was right (a
// digest or a count), and returns figures. A wrong result throws.

export type Figure = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure should be, in words, where there is a goal. */
  readonly goal?: string;
};

export type BenchOptions = {
  /** A few iterations: shows that the bench works, says nothing of speed. */
  readonly tiny: boolean;
};

export type Bench = (options: BenchOptions) => Promise<readonly Figure[]>;

/** `goal`: what the figure should be, in words. */
export function figure(name: string, value: number, unit: string, goal?: string): Figure {
  return { name, value, unit, ...(goal !== undefined && { goal }) };
}
