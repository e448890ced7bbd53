// How long property tests and other tests of many random cases run.

/** HOPBOOK_TEST_RUNS=10: ten times as many cases as usual. */
const FACTOR = Number(process.env.HOPBOOK_TEST_RUNS ?? 1);
if (!(FACTOR >= 1 && FACTOR <= 1000)) {
  throw new RangeError("HOPBOOK_TEST_RUNS: expected a number from 1 to 1000");
}

/** Cases to run where the usual run has `usual`; a whole number. */
export function runs(usual: number): number {
  return Math.round(usual * FACTOR);
}
