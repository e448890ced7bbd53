// What many ledgers do to the size of the store and to answers meanwhile.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Exchange } from "../../src/book/exchange.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import { orderId } from "../../src/model/order.ts";
import { PRICE_UNIT } from "../../src/model/settlement.ts";
import { account, token } from "../support/addresses.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { type NewEvent, nextLedger } from "../support/ledgers.ts";

const START = 1_700_000_000;
const FIRST = 100;
const LEDGERS = 300;
/** Ten ledgers. */
const EVENTS_KEPT_SECONDS = 50;

/** Ledgers one after the other, each with the events that `eventsOf` gives for its number. */
function* chain(
  count: number,
  eventsOf: (at: number) => readonly NewEvent[],
): Generator<LedgerDelta> {
  let last: { ledger: number; hash: string } = { ledger: FIRST - 1, hash: "00".repeat(32) };
  for (let at = 0; at < count; at += 1) {
    const delta = nextLedger(last, START + 5 * at, eventsOf(at));
    yield delta;
    last = delta;
  }
}

function created(at: number): NewEvent {
  return {
    ...{ kind: "new", id: orderId(BigInt(at)), owner: account(at), selling: token(1) },
    ...{ buying: token(2), price: PRICE_UNIT, amount: 1000n, expires: 0 },
  };
}

function changed(at: number, amount: bigint): NewEvent {
  return { kind: "mod", id: orderId(BigInt(at)), price: PRICE_UNIT, amount, expires: 0 };
}

test("ledgers by the thousand leave turns to others, who see every group of them", async () => {
  const exchange = await Exchange.open(exchangeOptions({ now: START * 1000 }));
  const ledgers = [...chain(1000, (at) => [created(at)])];
  const last = FIRST + ledgers.length - 1;
  const applied = Promise.all(ledgers.map((ledger) => exchange.apply(ledger)));
  const seen: number[] = [FIRST - 1];
  while (exchange.state.ledger !== last) {
    await nextTurn();
    const { ledger = FIRST - 1, markets } = exchange.state;
    assert.equal(markets.orderCount, ledger - FIRST + 1);
    if (ledger !== seen.at(-1)) seen.push(ledger);
  }
  await applied;
  const leaps = seen.slice(1).map((ledger, at) => ledger - (seen[at] ?? 0));
  assert.ok(Math.max(...leaps) <= 128, `in one turn of the loop: ${leaps}`);
  await exchange.close();
});

test("orders that change all the time take no more of the file for it", async () => {
  const orders = 200;
  // Order events of a time are dropped as fast as they come; kept for ever they are what grows.
  const store = { keepOrderEvents: EVENTS_KEPT_SECONDS };
  const options = exchangeOptions({ now: START * 1000 }, { store });
  const exchange = await Exchange.open(options);
  const bytes: number[] = [];
  const ledgers = chain(LEDGERS, (at) =>
    at === 0
      ? Array.from({ length: orders }, (_, order) => created(order))
      : Array.from({ length: 40 }, (_, of) =>
          changed((40 * at + of) % orders, 1000n + BigInt((at * 7919) % 1_000_000)),
        ),
  );
  for (const ledger of ledgers) {
    await exchange.apply(ledger);
    // Readers are what keeps old pages from being used again.
    const page = exchange.state.history.liveOrders(
      { assets: [], owner: account(ledger.ledger % orders) },
      { limit: 200 },
    );
    assert.equal(page.length, 1);
    assert.equal(exchange.state.history.orders({}, { limit: 20 }).length, 0);
    bytes.push(statSync(join(options.path, "data.mdb")).size);
  }
  await exchange.close();
  const [settled = 0, end = 0] = [bytes[LEDGERS / 5], bytes.at(-1)];
  assert.ok(
    end <= 1.5 * settled,
    `${settled} bytes after a fifth of the ledgers, ${end} at the end`,
  );
});
