// npm run vectors -- <mode> <file>: replays a file of vectors and prints `N passed, N failed`.
import { readFileSync } from "node:fs";
import { parseExactJson } from "./exact-json.ts";
import { replaySettlement } from "./settlement.ts";

/** What differs from one vector's expectation; throws where the vector itself is garbled. */
type Replay = (vector: unknown) => readonly string[];

const MODES: Readonly<Record<string, Replay>> = { settlement: replaySettlement };

/** Failing cases reported in full; the rest are only counted. */
const REPORTS_MAX = 20;

function main(args: readonly string[]): number {
  const [mode, path, ...more] = args;
  const replay = mode === undefined ? undefined : MODES[mode];
  if (replay === undefined || path === undefined || more.length > 0) {
    process.stderr.write(`usage: npm run vectors -- <${Object.keys(MODES).join("|")}> <file>\n`);
    return 2;
  }
  const vectors = readVectors(path);
  if (typeof vectors === "string") {
    process.stderr.write(`${vectors}\n`);
    return 1;
  }
  let failed = 0;
  for (const [at, vector] of vectors.entries()) {
    const differences = runCase(replay, vector);
    if (differences.length === 0) continue;
    failed += 1;
    if (failed <= REPORTS_MAX) {
      process.stdout.write(`case ${at}:\n${differences.map((line) => `  ${line}\n`).join("")}`);
    }
  }
  process.stdout.write(`${vectors.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function runCase(replay: Replay, vector: unknown): readonly string[] {
  try {
    return replay(vector);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** The vectors, or what is wrong with the file. */
function readVectors(path: string): readonly unknown[] | string {
  try {
    const vectors = parseExactJson(readFileSync(path, "utf8"));
    if (!Array.isArray(vectors)) return `${path} is not a JSON list of vectors`;
    return vectors.length > 0 ? vectors : `${path} holds no vectors`;
  } catch (error) {
    return `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

process.exitCode = main(process.argv.slice(2));
