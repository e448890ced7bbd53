// npm run vectors -- <mode> <file>: replays a file of vectors, plain or gzipped, and prints
// `N passed, N failed`.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseExactJson } from "./exact-json.ts";
import { replayQuotes } from "./quotes.ts";
import { replaySettlement } from "./settlement.ts";

/** What a mode counts: cases of `settlement`, paths of `quotes`. */
type Report = {
  readonly passed: number;
  /** One or more lines each. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
};

const MODES: Readonly<Record<string, (vectors: readonly unknown[]) => Report>> = {
  settlement: reportSettlement,
  quotes: reportQuotes,
};

/** Failures reported in full; the rest are only counted. */
const REPORTS_MAX = 20;

function main(args: readonly string[]): number {
  const [mode, path, ...more] = args;
  const report = mode === undefined ? undefined : MODES[mode];
  if (report === undefined || path === undefined || more.length > 0) {
    process.stderr.write(`usage: npm run vectors -- <${Object.keys(MODES).join("|")}> <file>\n`);
    return 2;
  }
  const vectors = readVectors(path);
  if (typeof vectors === "string") {
    process.stderr.write(`${vectors}\n`);
    return 1;
  }
  const { passed, failures, notes } = report(vectors);
  for (const line of [...failures.slice(0, REPORTS_MAX), ...notes]) {
    process.stdout.write(`${line}\n`);
  }
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  return failures.length === 0 ? 0 : 1;
}

function reportSettlement(vectors: readonly unknown[]): Report {
  const failures = vectors.flatMap((vector, at) => {
    const differences = runCase(replaySettlement, vector);
    const lines = typeof differences === "string" ? [differences] : differences;
    return lines.length === 0 ? [] : [`case ${at}:\n  ${lines.join("\n  ")}`];
  });
  return { passed: vectors.length - failures.length, failures, notes: [] };
}

function reportQuotes(vectors: readonly unknown[]): Report {
  const failures: string[] = [];
  let [passed, paths, reached, beaten, shortfall] = [0, 0, 0, 0, 0];
  for (const [at, vector] of vectors.entries()) {
    const replay = runCase(replayQuotes, vector);
    if (typeof replay === "string") {
      failures.push(`case ${at}: ${replay}`);
      continue;
    }
    failures.push(...replay.failures.map((failure) => `case ${at}: ${failure}`));
    passed += Math.max(0, replay.paths - replay.failures.length);
    paths += replay.paths;
    reached += replay.reached;
    beaten += replay.beaten;
    shortfall = Math.max(shortfall, replay.shortfall);
  }
  const notes = [
    `${reached} of ${paths} paths at the known best result, ${beaten} better`,
    `largest shortfall ${(100 * shortfall).toPrecision(3)} %`,
  ];
  return { passed, failures, notes };
}

/** The result, or the message of what was thrown. */
function runCase<T>(replay: (vector: unknown) => T, vector: unknown): T | string {
  try {
    return replay(vector);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The vectors, or what is wrong with the file. */
function readVectors(path: string): readonly unknown[] | string {
  try {
    const bytes = readFileSync(path);
    const isGzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const vectors = parseExactJson((isGzipped ? gunzipSync(bytes) : bytes).toString("utf8"));
    if (!Array.isArray(vectors)) return `${path} is not a JSON list of vectors`;
    return vectors.length > 0 ? vectors : `${path} holds no vectors`;
  } catch (error) {
    return `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

process.exitCode = main(process.argv.slice(2));
