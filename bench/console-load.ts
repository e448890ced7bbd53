// How long the console keeps the browser's main thread at a stretch while the devnet closes ledgers as
// fast as it is told to, view by view, from the browser's own trace: tasks by the clock, and by the
// processor time they took, which a busy machine does not stretch.
// `node dist/bench/console-load.js [--ledger-time 100] [--seconds 20] [--markets 200]`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { spawnDevnet } from "../src/devnet/spawn.ts";
import { launchBrowser, openConsole } from "../test/console/browser.ts";
import { findBrowser, NO_BROWSER } from "../test/console/find-browser.ts";
import { ApiClient, type Row } from "../test/e2e/api-client.ts";
import { EngineProcess } from "../test/e2e/engine-process.ts";
import { machine } from "./process-figures.ts";

const { values } = parseArgs({
  options: {
    "ledger-time": { type: "string", default: "100" },
    seconds: { type: "string", default: "20" },
    markets: { type: "string", default: "200" },
  },
});
const seconds = Number(values.seconds);
const START_MS_MAX = 600_000;
const PASSPHRASE = "Hopbook Console Load";

const LONG_MS = 100;

/** Installed before the page's own scripts. */
const COUNT_FRAMES = `
  globalThis.frames = 0;
  const count = () => { frames += 1; requestAnimationFrame(count); };
  requestAnimationFrame(count);
`;

const executable = findBrowser();
if (executable === undefined) {
  process.stderr.write(`${NO_BROWSER}\n`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "hopbook-console-load-"));
const devnet = await spawnDevnet({
  seed: "console load",
  passphrase: PASSPHRASE,
  directory: join(folder, "devnet"),
  port: 0,
  ledgerTime: Number(values["ledger-time"]),
  assets: 50,
  markets: Number(values.markets),
  makers: 200,
  levels: 4,
  takers: 60,
  transactionsPerLedger: 20,
  diagnostics: false,
});
const engine = new EngineProcess({
  asPackaged: true,
  rpcUrl: devnet.url,
  passphrase: PASSPHRASE,
  contract: devnet.exchange,
  dataDir: join(folder, "engine"),
  environment: { CONSOLE: "on" },
});
const port = await engine.listening;
const api = new ApiClient(port);
const symbols = await tradedMarkets();
const browser = await launchBrowser(executable);
const { page, errors, close } = await openConsole(browser, {
  origin: `http://127.0.0.1:${port}`,
  hash: "#/engine",
  viewport: { width: 1440, height: 900 },
});
await page.addInitScript(COUNT_FRAMES);
await page.reload();
await page.waitForTimeout(2000);
const [order] = await api.get("/order?limit=1");
const [base, quote] = symbols[0]?.split("/") ?? [];
const { node, cpu, cores } = machine();
console.log(`Node ${node}, ${cpu}, ${cores} cores`);
console.log(
  `${symbols.length} markets traded, a ledger every ${values["ledger-time"]} ms asked for`,
);
console.log(`view       ledgers/s   frames/s  over ${LONG_MS} ms     longest   processor`);
await measure("markets", "#/", scroll);
await measure("market", `#/market/${symbols[0]}`);
await measure("quote", `#/quote?selling=${quote}&buying=${base}&amount=100`);
await measure("account", `#/account/${order.owner}`);
await measure("engine", "#/engine");
if (errors.length > 0) console.log(`errors: ${errors.join("; ")}`);
await close();
await browser.close();
await engine.stop();
await devnet.stop();
rmSync(folder, { recursive: true, force: true });

/** Waits until nearly all markets have trades: then there is something to draw in each. */
async function tradedMarkets(): Promise<readonly string[]> {
  const deadline = Date.now() + START_MS_MAX;
  for (;;) {
    const { ticker } = await api.get("/ticker/24h");
    const traded = ticker.filter(({ trades }: Row) => trades > 0);
    const enough = traded.length >= 0.9 * Number(values.markets);
    if (enough || Date.now() > deadline) return traded.map(({ symbol }: Row) => symbol);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function measure(
  view: string,
  hash: string,
  act: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await page.evaluate("frames = 0");
  await browser.startTracing(page, { categories: ["toplevel"] });
  const before = (await api.get("/")).ledger;
  const start = performance.now();
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  while (performance.now() - start < seconds * 1000) {
    await act(page);
    await page.waitForTimeout(500);
  }
  const took = (performance.now() - start) / 1000;
  const ledgers = ((await api.get("/")).ledger - before) / took;
  const frames = Number(await page.evaluate("frames")) / took;
  const tasks = mainThreadTasks(await browser.stopTracing());
  const long = tasks.filter(({ clockMs }) => clockMs > LONG_MS).length;
  const longest = Math.max(0, ...tasks.map(({ clockMs }) => clockMs));
  const busiest = Math.max(0, ...tasks.map(({ processorMs }) => processorMs));
  const columns = [ledgers.toFixed(1), frames.toFixed(1), long];
  columns.push(`${longest.toFixed(0)} ms`, `${busiest.toFixed(0)} ms`);
  console.log(view.padEnd(8), ...columns.map((text) => String(text).padStart(11)));
}

type Task = { readonly clockMs: number; readonly processorMs: number };

/** Times of the trace are in microseconds. */
function mainThreadTasks(trace: Buffer): readonly Task[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly Row[] };
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  return traceEvents
    .filter(
      ({ ph, name, pid, tid }) =>
        ph === "X" && name.endsWith("RunTask") && mainThreads.has(`${pid}/${tid}`),
    )
    .map(({ dur = 0, tdur = 0 }) => ({ clockMs: dur / 1000, processorMs: tdur / 1000 }));
}

async function scroll(shown: Page): Promise<void> {
  await shown.mouse.move(700, 500);
  await shown.mouse.wheel(0, 400);
}
