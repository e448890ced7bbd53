// Loaded before every test file (scripts/test.js): records the processes that its tests start, with the last
// lines of each, to explain failures; under HOPBOOK_TEST_TIMES also the devnets, engines and waits of this
// process, for the table of times.
import { ChildProcess } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Server } from "node:net";
import { basename } from "node:path";
import timersPromises from "node:timers/promises";

const path = process.env.HOPBOOK_TEST_STARTED;
const LINES_KEPT = 25;
/** Of /proc/self/stat, on every system that has it. */
const TICKS_A_SECOND = 100;

type Readable = { push(chunk: unknown, encoding?: unknown): boolean } | null;
type Spawning = ChildProcess & { spawn(options: { readonly args?: readonly string[] }): unknown };

function tell(told: object): void {
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(told)}\n`);
}

const kept: { readonly name: string; readonly lines: string[] }[] = [];

function keepLines(stream: Readable, lines: string[]): void {
  if (stream === null) return;
  const push = stream.push;
  let rest = "";
  stream.push = function (chunk, encoding) {
    if (chunk instanceof Uint8Array) {
      const parts = (rest + Buffer.from(chunk).toString()).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.slice(-LINES_KEPT));
      lines.splice(0, lines.length - LINES_KEPT);
    }
    return push.call(this, chunk, encoding);
  };
}

function watchProcesses(): void {
  const prototype = ChildProcess.prototype as Spawning;
  const spawn = prototype.spawn;
  prototype.spawn = function (options) {
    const outcome = spawn.call(this, options);
    const words = (options.args ?? []).filter((word) => !word.startsWith("--"));
    const name = words
      .slice(0, 4)
      .map((word) => basename(word))
      .join(" ");
    const lines: string[] = [];
    kept.push({ name: `${name} (process ${this.pid})`, lines });
    keepLines(this.stdout as Readable, lines);
    keepLines(this.stderr as Readable, lines);
    tell({ kind: "process", name });
    if (/main\.js (engine|all)/.test(name)) tell({ kind: "engine" });
    if (/main\.js (devnet|all)|devnet-process\.js/.test(name)) tell({ kind: "devnet" });
    return outcome;
  };
}

/** Devnets and engines in this process, by what listens; waits, by who asks for a timer. */
function watchTimes(): void {
  const listen = Server.prototype.listen;
  Server.prototype.listen = function (this: Server, ...args: never[]) {
    const stack = new Error().stack ?? "";
    if (/src\/devnet\/devnet\./.test(stack)) tell({ kind: "devnet" });
    if (/src\/engine\./.test(stack)) tell({ kind: "engine" });
    return listen.apply(this, args as never);
  } as typeof listen;
  const isOfTest = () =>
    /\.test\.[jt]s|\/test\//.test((new Error().stack ?? "").split("\n")[3] ?? "");
  const { setTimeout: later } = globalThis;
  const { setTimeout: delay } = timersPromises;
  const timed = (run: () => void) => {
    const fromMs = performance.now();
    return () => {
      tell({ kind: "wait", ms: performance.now() - fromMs });
      run();
    };
  };
  globalThis.setTimeout = Object.assign(
    (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      later(isOfTest() ? timed(() => run(...args)) : () => run(...args), ms),
    later,
  ) as typeof later;
  timersPromises.setTimeout = ((...args: Parameters<typeof delay>) => {
    const done = delay(...args);
    return isOfTest() ? done.finally(timed(() => undefined)) : done;
  }) as typeof delay;
  syncBuiltinESMExports();
}

/** CPU time of this process and of its children that ended; undefined where the system does not tell. */
function cpuSeconds(): number | undefined {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // utime, stime, cutime and cstime: fields 14 to 17 (proc_pid_stat(5)), without the first two.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
}

if (path !== undefined) {
  watchProcesses();
  if (process.env.HOPBOOK_TEST_TIMES !== undefined) watchTimes();
  process.on("exit", () => {
    for (const each of kept) tell({ kind: "lines", ...each });
    tell({ kind: "end", cpuSeconds: cpuSeconds() });
  });
  // scripts/test.js asks a process that hangs to say what it knows.
  process.on("SIGTERM", () => process.exit(143));
}
