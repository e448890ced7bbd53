// The end of a chaos run: the network stands still, and everything the engine says is compared with
// what the contract itself did and holds.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { systemClock } from "../../src/model/clock.ts";
import { compareOrders } from "../../src/verify/compare.ts";
import { compareMarketData } from "../../src/verify/compare-market-data.ts";
import { EngineClient } from "../../src/verify/engine-client.ts";
import { ApiClient, type Row } from "../../test/e2e/api-client.ts";
import { expectedRows } from "../../test/e2e/expected-rows.ts";
import { settled } from "../../test/e2e/settled.ts";
import { holdingIn } from "../../test/support/devnet/holding.ts";
import { eventsOf } from "../../test/support/recorded-devnet.ts";
import { checkRoutes } from "./route-reckoning.ts";
import type { Subject } from "./subject.ts";
import type { Watched } from "./watchers.ts";

/** For an engine to read the whole run anew. */
const PEACEFUL_MS_MAX = 300_000;

export type Reckoned = {
  /** What is wrong, one line each. */
  readonly faults: readonly string[];
  /** What was compared, in words. */
  readonly checked: readonly string[];
};

/** The network is paused, and the engine at its tip. */
export async function reckon(subject: Subject, watched: Watched): Promise<Reckoned> {
  const { devnet, port } = subject;
  const api = new ApiClient(port);
  const faults = [...watched.faults];
  const checked: string[] = [];
  const check = async (what: string, run: () => Promise<string>): Promise<void> => {
    try {
      checked.push(await run());
    } catch (error) {
      faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await check("rows", () => checkRows(devnet, api));
  await check("verify", () => checkVerify(devnet, api.url));
  await check("accounts", () => checkAccounts(devnet, api));
  await check("routes", () => checkRoutes(devnet, api));
  await check("peaceful engine", () => checkPeaceful(subject, api));
  await check("pushes", async () => checkPushed(devnet, watched));
  await check("pages", async () => checkPaged(devnet, watched));
  return { faults, checked };
}

/** Every list endpoint from its first row to its last: in order, none missing, none twice. */
async function checkRows(devnet: Devnet, api: ApiClient): Promise<string> {
  let text = "";
  await settled(async (now) => {
    const expected = expectedRows(eventsOf(devnet), now);
    const live = await api.all("/order", 200);
    assert.deepEqual(
      live.map(({ backed, backing, ...row }: Row) => row),
      expected.live,
    );
    assert.deepEqual(await api.all("/order-history", 500), expected.archived);
    assert.deepEqual(await api.all("/trades", 500), expected.trades);
    text =
      `${live.length} live orders, ${expected.archived.length} archived ones, ` +
      `${expected.trades.length} fills and swaps`;
  });
  return text;
}

async function checkVerify(devnet: Devnet, url: string): Promise<string> {
  const { checked, differences } = await compareOrders({
    engine: new EngineClient(url),
    rpcUrl: devnet.url,
    contract: devnet.network.exchange,
    clock: systemClock,
    sleep: delay,
  });
  const market = await compareMarketData(new EngineClient(url));
  const wrong = [
    ...differences.map(({ id, what }) => `order ${id}: ${what}`),
    ...market.differences,
  ];
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} differences`);
  return `verify: ${checked} entries, ${market.candles} candles, ${market.tickers} tickers, 0 differ`;
}

/** What stands behind every maker, as their tokens say it. */
async function checkAccounts(devnet: Devnet, api: ApiClient): Promise<string> {
  let records = 0;
  const orders: Row[] = await api.all("/order", 200);
  const owners = new Set<string>(orders.map(({ owner }) => owner));
  await settled(async () => {
    records = 0;
    for (const owner of owners) {
      const { orders: own, backing } = await api.get(`/account/${owner}`);
      assert.deepEqual(own, await api.get(`/order?owner=${owner}&limit=200`), owner);
      for (const record of Object.values<Row>(backing)) {
        records += 1;
        const held = holdingIn(devnet, record.asset, record.owner);
        const shown = [record.balance, record.allowance, record.authorized];
        const own = [`${held.spendable}`, `${held.allowance}`, held.authorized];
        assert.deepEqual(shown, own, `${record.owner} ${record.asset}`);
      }
    }
  });
  return `${owners.size} accounts with ${records} backing records`;
}

/** What the record above does not tell is as an engine has it to which nothing happened. */
async function checkPeaceful(subject: Subject, api: ApiClient): Promise<string> {
  const engine = await subject.startPeaceful();
  const other = new ApiClient(await engine.listening);
  await other.reached(subject.devnet.tip.ledger, PEACEFUL_MS_MAX);
  const failures = await api.all("/failures", 500);
  assert.deepEqual(failures, await other.all("/failures", 500));
  assert.deepEqual(await api.get("/contract"), await other.get("/contract"));
  await engine.stop();
  return `${failures.length} failures and the contract's state, as an engine in peace has them`;
}

/** Each connection got every fill between its first and its last one, once and in order. */
function checkPushed(devnet: Devnet, { pushed }: Watched): string {
  const fills = eventsOf(devnet)
    .filter(({ event }) => event.kind === "trade")
    .map(({ position }) => String(position));
  const count = pushed.reduce((sum, ids) => sum + checkRun(ids, fills), 0);
  return `${count} pushed fills over ${pushed.length} connections`;
}

function checkPaged(devnet: Devnet, { paged }: Watched): string {
  const rows = eventsOf(devnet)
    .filter(({ event }) => event.kind === "trade" || event.kind === "swap")
    .map(({ position }) => String(position))
    .reverse();
  const count = paged.reduce((sum, ids) => sum + checkRun(ids, rows), 0);
  return `${count} rows of ${paged.length} walks over pages`;
}

/** `ids` are neighbours among `all`, in its order. Returns how many. */
function checkRun(ids: readonly string[], all: readonly string[]): number {
  const start = all.indexOf(ids[0] ?? "");
  assert.deepEqual(ids, start < 0 ? [] : all.slice(start, start + ids.length));
  return ids.length;
}
