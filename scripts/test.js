// npm test -- [part of a path ...] [--fast] [--times] [--shuffle seed] [--jobs n] [--process-minutes n]
//   [--test-name-pattern=...]
// Runs every *.test.js under dist, or those whose path contains one of the parts. Files that start
// nothing share a process per folder, since a process takes longer to start than most of them to run;
// every other file has a process of its own. What fails is printed with what is needed to repeat it.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { asWritten } from "./source-positions.js";
import { timesTable } from "./test-times.js";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What a process that hangs is given to report what it started, before it is killed. */
const LAST_WORDS_MS_MAX = 5000;
/** Lines of each failure in the summary at the end. */
const FAILURE_LINES_SHOWN = 12;
/** Last lines of what a failed process wrote. */
const LINES_SHOWN = 60;
/** The last of the processes that it started. */
const PROCESSES_SHOWN = 6;
/** Most processes at a time, where cores are idle: many tests mostly wait. */
const JOBS_MAX = 2 * availableParallelism() + 1;
/** One more process is started where more than this part of the cores' last second was idle. */
const IDLE_SHARE = 0.3;
/** Imports of files that keep a process to themselves. */
const OWN_PROCESS =
  /node:child_process|node:worker_threads|\/(engine-process|devnet|recorded-devnet|postgres|pool|spawn|run-chaos|run-soak|browser|engine)\.js"/;
/** Start early, the longest first, so that no long one runs alone at the end. */
const LONG = [
  "dist/test/console/",
  "dist/test/examples/",
  "dist/test/e2e/chaos",
  "dist/test/api/descriptions",
  "dist/test/property/backing",
  "dist/test/e2e/",
  "dist/src/ingest",
  "dist/test/",
];
const SEED = process.env.PROPERTY_SEED ?? "1";

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: "boolean", default: false },
    times: { type: "boolean", default: false },
    shuffle: { type: "string" },
    jobs: { type: "string" },
    "process-minutes": { type: "string", default: "20" },
    "test-name-pattern": { type: "string" },
  },
});

for (const name of ["jobs", "process-minutes"]) {
  if (/^[1-9][0-9]{0,3}$/.test(flags[name] ?? "1")) continue;
  process.stderr.write(`--${name} must be a whole number from 1 to 9999, not ${flags[name]}\n`);
  process.exit(2);
}
/** A process that takes longer hangs. */
const PROCESS_MS_MAX = Number(flags["process-minutes"]) * 60_000;

const files = ["dist/src", "dist/console", "dist/test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file}`,
    ),
  )
  .filter((file) => file.endsWith(".test.js") && !file.endsWith(".live.test.js"))
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .filter((file) => !flags.fast || startsNothing(file))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${parts.join(" ")}\n`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "hopbook-tests-"));
const running = new Set();
let processes = 0;
process.on("exit", () => {
  for (const pid of running) killGroup(pid);
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

const startMs = performance.now();
const results = await runAll(jobs());
report();

/** Whether the file lies beside its source, starts no process or thread, and has no hooks for the whole file. */
function startsNothing(file) {
  return !file.startsWith("dist/test/") && sharesProcess(file);
}

/**
 * Whether the file may share a process with others of its folder. Hooks of a whole file would run for all of them;
 * a file that starts processes may have to be killed with these.
 */
function sharesProcess(file) {
  const text = readFileSync(join(root, file), "utf8");
  return !OWN_PROCESS.test(text) && !/^(before|after)(Each)?\(/m.test(text);
}

/** Lists of files, one for each process. */
function jobs() {
  const groups = new Map();
  for (const file of files) {
    const key = sharesProcess(file) ? folderOf(file) : file;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const rank = (list) => LONG.findIndex((prefix) => list[0].startsWith(prefix)) >>> 0;
  const lists = [...groups.values()].sort((one, other) => rank(one) - rank(other));
  if (flags.shuffle === undefined) return lists;
  // By a linear congruential generator (Numerical Recipes).
  let state = Number(flags.shuffle) >>> 0;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  const shuffled = (list) =>
    list
      .map((each) => [random(), each])
      .sort(([one], [other]) => one - other)
      .map(([, each]) => each);
  return shuffled(lists.map(shuffled));
}

/** `dist/src/ingest` of whatever lies in there. */
function folderOf(file) {
  return file.split("/").slice(0, 3).join("/");
}

async function runAll(lists) {
  const waiting = [...lists];
  const done = [];
  const base = flags.jobs === undefined ? availableParallelism() + 1 : Number(flags.jobs);
  let workers = 0;
  let isIdle = false;
  let before = coreTimes();
  const work = async () => {
    workers += 1;
    // A worker that was added because cores were idle stops when they no longer are.
    while (waiting.length > 0 && (workers <= base || isIdle)) {
      const list = waiting.shift();
      const result = await run(list);
      done.push(result);
      show(result);
      if (result.ended || list.length === 1) continue;
      // The process ended within the group: each of its files runs again by itself.
      waiting.push(...list.map((file) => [file]));
      result.told = [];
    }
    workers -= 1;
  };
  const working = Array.from({ length: base }, work);
  const more = setInterval(() => {
    const now = coreTimes();
    isIdle = now.idle - before.idle > IDLE_SHARE * (now.all - before.all);
    before = now;
    if (flags.jobs === undefined && isIdle && workers < JOBS_MAX) working.push(work());
  }, 1000);
  for (const each of working) await each;
  clearInterval(more);
  return done;
}

/** Milliseconds of all cores. Processes of lower priority give way, so their time counts as idle. */
function coreTimes() {
  const times = cpus().map(({ times }) => times);
  const sum = (of) => times.reduce((total, each) => total + of(each), 0);
  return {
    idle: sum(({ idle, nice }) => idle + nice),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}

function run(list) {
  const number = processes++;
  const events = join(folder, `${number}.events`);
  const started = join(folder, `${number}.started`);
  appendFileSync(events, "");
  const pattern = flags["test-name-pattern"];
  const args = [
    // A process can hang at its end, waiting for a compiler thread that waits for it (nodejs/node,
    // issue 54918): seen once in some thousands of runs. Without that thread tests are hardly slower.
    "--no-concurrent-recompilation",
    // Where several processes share the cores, threads that collect garbage together wait for each
    // other, and small young generations are collected often: a quarter of the CPU time of some files.
    "--single-threaded-gc",
    "--max-semi-space-size=32",
    // Most of a test process's code runs too seldom to be worth optimizing: as FLAGS of
    // test/e2e/engine-process.ts, a tenth of the CPU time of most files (measured 2026-11, Node 20).
    ...(process.version.startsWith("v20.") ? ["--interrupt-budget=2000000"] : []),
    "--import=./dist/test/support/property-seed.js",
    "--import=./dist/test/support/started.js",
    `--test-reporter=${new URL("./test-events.js", import.meta.url)}`,
    `--test-reporter-destination=${events}`,
    ...(pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]),
    ...(list.length === 1 ? list : ["scripts/test-group.js", ...list]),
  ];
  const environment = { ...process.env, HOPBOOK_TEST_STARTED: started };
  if (flags.times) environment.HOPBOOK_TEST_TIMES = "1";
  const fromMs = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own: whatever the tests leave running is killed with it.
    detached: true,
  });
  running.add(child.pid);
  let late = false;
  const timeout = setTimeout(() => {
    late = true;
    child.kill();
    setTimeout(() => killGroup(child.pid), LAST_WORDS_MS_MAX).unref();
  }, PROCESS_MS_MAX);
  const lines = [];
  const keep = (data) => {
    lines.push(...String(data).split("\n"));
    if (lines.length > 4 * LINES_SHOWN) lines.splice(0, lines.length - 2 * LINES_SHOWN);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.on("exit", () => killGroup(child.pid));
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timeout);
      running.delete(child.pid);
      const wallMs = performance.now() - fromMs;
      const told = readLines(events);
      const ended = told.some(({ type }) => type === "end");
      resolve({
        list,
        code,
        signal,
        late,
        lines,
        wallMs,
        told,
        ended,
        started: readLines(started),
      });
    });
  });
}

function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}

function readLines(path) {
  try {
    const text = readFileSync(path, "utf8");
    // The last line of a killed process may be cut off.
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter(Boolean)
      .map(JSON.parse);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

function isGood({ code, ended }) {
  return code === 0 && ended;
}

/** Source file and line of the test, as far as they are known. */
function placeOf({ file, line, column, name }, list) {
  // A file that could not be loaded is a failed test whose name is the file.
  const of = list.includes(name) ? root + name : (file ?? root + list[0]);
  const written = line === undefined ? of : asWritten(`${of}:${line}:${column}`);
  // A position outside of the repository does not say what to run again: the file does.
  const [path, at = "?"] = (written.startsWith(root) ? written.slice(root.length) : list[0]).split(
    ":",
  );
  return { path: path.replace(/^dist\//, "").replace(/\.js$/, ".ts"), line: at };
}

function show(result) {
  const { list, wallMs, told, started, lines, code, signal, late } = result;
  const name = list.length === 1 ? list[0] : `${folderOf(list[0])} (${list.length} files)`;
  const count = told.filter(({ type }) => type === "pass").length;
  const good = isGood(result);
  const seconds = (wallMs / 1000).toFixed(1).padStart(6);
  process.stdout.write(
    `${good ? "ok  " : "FAIL"} ${seconds} s ${String(count).padStart(4)} ${name}\n`,
  );
  if (good) return;
  const failures = told.filter(({ type }) => type === "fail");
  for (const failure of failures) {
    const { path, line } = placeOf(failure, list);
    const name = failure.outermost.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/'/g, ".");
    process.stdout.write(
      `\n  ${path}:${line}: ${failure.path}\n` +
        `${indented(failure.error)}\n` +
        `  alone: PROPERTY_SEED=${SEED} npm test -- ${path.replace(/\.ts$/, "")} --test-name-pattern='^${name}$'\n`,
    );
  }
  if (failures.length === 0) {
    const how = late
      ? `still ran after ${PROCESS_MS_MAX / 1000} s`
      : `ended with ${signal ?? `code ${code}`}`;
    process.stdout.write(
      `\n  the process ${how}; alone: PROPERTY_SEED=${SEED} npm test -- ${list.join(" ")}\n`,
    );
  }
  const said = told.filter(({ type }) => type === "diagnostic").map(({ message }) => message);
  const last = [...said, ...lines.filter((line) => line !== "")].slice(-LINES_SHOWN);
  if (last.length > 0) process.stdout.write(`  last lines:\n${indented(last.join("\n"))}\n`);
  for (const { name, lines: of } of started
    .filter(({ kind }) => kind === "lines")
    .slice(-PROCESSES_SHOWN)) {
    if (of.length > 0)
      process.stdout.write(`  last lines of ${name}:\n${indented(of.join("\n"))}\n`);
  }
  process.stdout.write("\n");
}

/** Indented, with positions in the sources. */
function indented(text) {
  return asWritten(text).replace(/^/gm, "    ");
}

function report() {
  const told = results.flatMap(({ told }) => told);
  const tests = (type) => told.filter((each) => each.type === type).length;
  const bad = results.filter((result) => !isGood(result));
  if (flags.times) process.stdout.write(timesTable(results, root));
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(
    `${tests("pass")} tests passed, ${tests("fail")} failed, ${tests("skip")} were left out; ` +
      `${files.length} files in ${results.length} processes, ${seconds} s, PROPERTY_SEED=${SEED}\n`,
  );
  // A summary: of a long output often only the end is kept.
  for (const { list, told } of bad) {
    process.stdout.write(`FAIL ${list.join(" ")}\n`);
    for (const { type, path, error } of told) {
      if (type !== "fail") continue;
      const lines = `${path}\n${error}`.split("\n").slice(0, FAILURE_LINES_SHOWN);
      process.stdout.write(`${indented(lines.join("\n"))}\n`);
    }
  }
  process.exitCode = bad.length === 0 ? 0 : 1;
}
