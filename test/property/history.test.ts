// Every filter of every list, walked page by page, finds what a scan of the whole list finds.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Exchange } from "../../src/book/exchange.ts";
import type { Position } from "../../src/model/position.ts";
import { account, token } from "../support/addresses.ts";
import { openExchange } from "../support/exchange.ts";
import { type NaiveAnswers, naiveAnswers } from "../support/naive-exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";

const LEDGERS = 120;
const NOW = CHAIN_START + 5 * LEDGERS;
const SEED = 20_240_501;
const OWNERS = [undefined, account(0), account(1), account(4), account(77), "XLM", ""];
const PAIRS: readonly (readonly [string, string] | undefined)[] = [
  undefined,
  [token(0), token(1)],
  [token(1), token(0)],
  [token(2), token(2)],
  [token(0), token(77)],
  ["XLM", token(0)],
];
const PAGE_LIMITS = [1, 7, 500];

let exchange: Exchange;
let all: NaiveAnswers;

before(async () => {
  exchange = await openExchange({ now: NOW * 1000 });
  const ledgers = randomLedgers(randomFrom(SEED), LEDGERS, 20);
  await Promise.all(ledgers.map((delta) => exchange.apply(delta)));
  await exchange.tick();
  all = naiveAnswers(ledgers, NOW);
  assert.ok(all.live.length > 3 && all.archive.length > 200 && all.trades.length > 200);
});

test("archived orders by owner and pair", () => {
  for (const owner of OWNERS) {
    for (const pair of PAIRS) {
      const filter = { ...(owner !== undefined && { owner }), ...(pair && { pair }) };
      const expected = all.archive.filter(
        (order) => (owner ?? order.owner) === order.owner && isPair(pair, order),
      );
      for (const limit of PAGE_LIMITS) {
        const page = (before?: Position) =>
          exchange.state.history.orders(filter, { limit, ...(before !== undefined && { before }) });
        assert.deepEqual(walk(page, limit, "cursor"), expected);
      }
    }
  }
});

test("trades and swaps by trader and pair", () => {
  for (const trader of OWNERS) {
    for (const pair of PAIRS) {
      const filter = { ...(trader !== undefined && { trader }), ...(pair && { pair }) };
      const expected = all.trades.filter((record) => {
        const { soldAsset: selling, boughtAsset: buying } = record;
        const traders =
          record.type === "swap" ? [record.trader] : [record.taker as string, record.maker];
        return (
          isPair(pair, { selling, buying }) && (trader === undefined || traders.includes(trader))
        );
      });
      for (const limit of PAGE_LIMITS) {
        const page = (before?: Position) =>
          exchange.state.history.trades(filter, { limit, ...(before !== undefined && { before }) });
        assert.deepEqual(walk(page, limit, "id"), expected);
      }
    }
  }
});

test("failures by account and function", () => {
  for (const account of OWNERS) {
    for (const fn of [undefined, "trade", "trade_all", "swap", "trad", "", "x".repeat(5000)]) {
      const filter = { ...(account !== undefined && { account }), ...(fn !== undefined && { fn }) };
      const expected = all.failures.filter((failure) => {
        const { caller, transfer } = failure;
        const accounts: (string | undefined)[] = [caller, transfer?.from, transfer?.to];
        return (
          (fn ?? failure.fn) === failure.fn &&
          (!account ? account === undefined : accounts.includes(account))
        );
      });
      for (const limit of PAGE_LIMITS) {
        const page = (before?: Position) =>
          exchange.state.history.failures(filter, {
            limit,
            ...(before !== undefined && { before }),
          });
        assert.deepEqual(walk(page, limit, "id"), expected);
      }
    }
  }
});

test("live orders by owner and assets", () => {
  const assets: readonly (readonly string[])[] = [
    [],
    [token(0)],
    [token(0), token(0)],
    [token(3), token(1)],
    [token(0), token(1), token(2)],
    [token(0), "XLM"],
  ];
  for (const owner of OWNERS) {
    for (const listed of assets) {
      const filter = { ...(owner !== undefined && { owner }), assets: listed };
      const expected = all.live.filter(
        (order) =>
          (owner ?? order.owner) === order.owner &&
          listed.every((asset) => [order.selling as string, order.buying].includes(asset)),
      );
      for (const limit of PAGE_LIMITS) {
        const page = (after?: Position) =>
          exchange.state.history.liveOrders(filter, {
            limit,
            ...(after !== undefined && { after }),
          });
        assert.deepEqual(walk(page, limit, "cursor"), expected);
      }
    }
  }
});

function isPair(
  pair: readonly [string, string] | undefined,
  { selling, buying }: { readonly selling: string; readonly buying: string },
): boolean {
  if (pair === undefined) return true;
  const [one, other] = pair;
  return (one === selling && other === buying) || (one === buying && other === selling);
}

/** Page after page, each from the last row of the one before. */
function walk<K extends string, T extends { readonly [key in K]: Position }>(
  page: (from?: Position) => readonly T[],
  limit: number,
  key: K,
): readonly T[] {
  const rows: T[] = [];
  for (;;) {
    const next = page(rows.at(-1)?.[key]);
    assert.ok(next.length <= limit);
    if (next.length === 0) return rows;
    rows.push(...next);
  }
}
