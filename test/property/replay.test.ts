// A replay from any ledger to the tip ends in the live book, and begins with the book as it was.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { Exchange } from "../../src/book/exchange.ts";
import { PastBook } from "../../src/book/past-book.ts";
import { bookRowJson } from "../../src/http/json/order-json.ts";
import { replayedBook } from "../../src/http/push/channels/book-channel.ts";
import { canonicalPair, type Pair } from "../../src/model/address.ts";
import type { Order } from "../../src/model/order.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";

type Row = Record<string, string>;

function rowsOf(orders: readonly Order[]): Row[] {
  const rows = orders.map((order): Row => JSON.parse(bookRowJson(order, undefined)));
  return rows.sort(byCursor);
}

function byCursor(one: Row, other: Row): number {
  return BigInt(one.cursor ?? 0) < BigInt(other.cursor ?? 0) ? -1 : 1;
}

test("a replay from any ledger is the book as it was, and ends in the live one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const ledgers = randomLedgers(randomFrom(seed), 20, 12);
      const clock = { now: CHAIN_START * 1000 };
      const options = exchangeOptions(clock);
      const exchange = await Exchange.open(options);
      const markets = new Map<string, Pair>();
      const shown = new Map<number, readonly Order[]>();
      for (const delta of ledgers) {
        await exchange.apply(delta);
        clock.now = delta.closeTime * 1000;
        await exchange.tick();
        const live = exchange.liveOrders({ assets: [] }, { limit: 1000 });
        shown.set(delta.ledger, live);
        for (const { selling, buying } of live) {
          const pair = canonicalPair(selling, buying);
          markets.set(pair.base + pair.quote, pair);
        }
      }
      const tip = ledgers.at(-1)?.ledger ?? 0;
      await exchange.close();
      const store = await openPastStore(dirname(options.path));
      for (const market of markets.values()) {
        const of = (orders: readonly Order[] = []) =>
          rowsOf(
            orders.filter(({ selling, buying }) => {
              const pair = canonicalPair(selling, buying);
              return pair.base === market.base && pair.quote === market.quote;
            }),
          );
        for (const { ledger } of ledgers.filter((_, at) => at % 3 === 0)) {
          if (ledger < (store.orderEvents.completeFrom() ?? 0)) continue;
          const copy = new Map<string, Row>();
          const rows = () => [...copy.values()].sort(byCursor);
          for await (const line of replayedBook(new PastBook(store, market, ledger), market, tip)) {
            const message = JSON.parse(line);
            if (message.type === "book") {
              for (const row of [...message.asks, ...message.bids]) copy.set(row.id, row);
              assert.deepEqual(rows(), of(shown.get(ledger)));
            } else {
              for (const { cause, id, order } of message.changes) {
                if (cause === "backing") continue;
                if (order === undefined) copy.delete(id);
                else {
                  const { backed: _backed, ...row } = order;
                  copy.set(id, row);
                }
              }
              assert.deepEqual(rows(), of(shown.get(message.ledger)));
            }
          }
          assert.deepEqual(rows(), of(shown.get(tip)));
        }
      }
      await store.close();
    }),
    { numRuns: runs(4), includeErrorInReport: true },
  );
});

test("the command prints the same beside an engine, and names what is wrong", async () => {
  const ledgers = randomLedgers(randomFrom(3), 12, 12);
  const options = exchangeOptions({ now: CHAIN_START * 1000 });
  const exchange = await Exchange.open(options);
  for (const delta of ledgers) await exchange.apply(delta);
  const [order] = exchange.liveOrders({ assets: [] }, { limit: 1 });
  assert.ok(order !== undefined && exchange.ledger !== undefined);
  const market = `${order.selling}/${order.buying}`;
  const from = String(exchange.ledger - 3);
  const run = (...args: readonly string[]) =>
    new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
      const script = new URL("../../src/replay.js", import.meta.url).pathname;
      const all = [script, "--data-dir", dirname(options.path), ...args];
      execFile(process.execPath, all, (error, out, text) =>
        resolve({ code: error?.code ?? 0, out, error: text }),
      );
    });
  const { code, out, error } = await run("--market", market, "--from", from);
  assert.deepEqual([code, error], [0, ""]);
  const [snapshot] = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([snapshot.type, snapshot.ledger], ["book", Number(from)]);
  for (const [name, ...args] of [
    ["market", "--from", from],
    ["market", "--from", from, "--market", "x"],
    ["from", "--market", market],
    ["from", "--market", market, "--from", "1"],
    ["to", "--market", market, "--from", from, "--to", "1"],
  ] as const) {
    const refused = await run(...args);
    assert.notEqual(refused.code, 0);
    assert.match(refused.error, new RegExp(`--${name}|${name.toUpperCase()}`));
  }
  await exchange.close();
});
