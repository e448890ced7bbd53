// Two load reports, figure by figure: is the second better, the same or worse?
import type { LoadFigure, LoadReport } from "./figure.ts";

export type Verdict = "better" | "same" | "worse";

export type Compared = {
  readonly name: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  readonly verdict: Verdict;
  /** The difference that would have been needed. */
  readonly noise: number;
};

export type Comparison = {
  readonly figures: readonly Compared[];
  /** Figures that only one of them has. */
  readonly unmatched: readonly string[];
};

/** Differences below these are never more than noise: timer ticks, allocator pages (guesses). */
const FLOORS: Readonly<Record<string, number>> = {
  ms: 1,
  MiB: 8,
  cores: 0.05,
  ratio: 0.03,
  requests: 0.5,
  clients: 0.5,
  messages: 0.5,
};

/** Throws an Error where the runs were not of the same settings: they say nothing of each other. */
export function compareReports(
  before: LoadReport,
  after: LoadReport,
  tolerance: number,
): Comparison {
  for (const [name, value] of Object.entries(before.settings)) {
    const other = Object.entries(after.settings).find(([key]) => key === name)?.[1];
    if (other !== value) throw new Error(`the runs differ in ${name}: ${value} and ${other}`);
  }
  const others = new Map(after.figures.map((figure) => [figure.name, figure]));
  const figures: Compared[] = [];
  const unmatched: string[] = [];
  for (const figure of before.figures) {
    const other = others.get(figure.name);
    others.delete(figure.name);
    if (figure.better === "neither") continue;
    if (other === undefined) unmatched.push(figure.name);
    else figures.push(compareFigure(figure, other, tolerance));
  }
  for (const { name, better } of others.values()) if (better !== "neither") unmatched.push(name);
  return { figures, unmatched };
}

function compareFigure(before: LoadFigure, after: LoadFigure, tolerance: number): Compared {
  const { name, unit } = before;
  const noise = Math.max(
    tolerance * Math.abs(before.value),
    spread(before),
    spread(after),
    FLOORS[unit] ?? 0,
  );
  const gain = (before.better === "higher" ? 1 : -1) * (after.value - before.value);
  const verdict = gain > noise ? "better" : gain < -noise ? "worse" : "same";
  return { name, unit, before: before.value, after: after.value, verdict, noise };
}

/** Half the range of the slices of one run, without the one furthest from the run's value. */
function spread({ slices = [], value }: LoadFigure): number {
  const near = slices
    .toSorted((a, b) => Math.abs(a - value) - Math.abs(b - value))
    .slice(0, Math.max(1, slices.length - 1));
  return near.length < 2 ? 0 : (Math.max(...near) - Math.min(...near)) / 2;
}
