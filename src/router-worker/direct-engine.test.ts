import assert from "node:assert/strict";
import { test } from "node:test";
import type { BookChange } from "../book/book-change.ts";
import { SharedBook } from "../book/left-right.ts";
import { accountAddress, contractAddress } from "../model/address.ts";
import type { Backing } from "../model/backing.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { quoteDirect } from "./direct-engine.ts";
import type { QuoteRequest, QuoteResult } from "./quote.ts";

const CONTRACT = contractAddress(new Uint8Array(32).fill(9));
const PAID = contractAddress(new Uint8Array(32).fill(1));
const GOT = contractAddress(new Uint8Array(32).fill(2));
const MAKERS = [1, 2, 3].map((n) => accountAddress(new Uint8Array(32).fill(n)));
const NOW = 1_700_000_000;
const ONE = 10n ** 18n;

function order(id: number, maker: number, price: bigint, amount: bigint, expires = 0): BookChange {
  const owner = MAKERS[maker] ?? CONTRACT;
  const value: Order = {
    id: BigInt(id) as OrderId,
    status: "ACTIVE",
    owner,
    selling: GOT,
    buying: PAID,
    price,
    quote: amount,
    amount,
    expires,
    created: NOW,
    updated: NOW,
    cursor: BigInt(id) as Position,
  };
  return { kind: "put", order: value };
}

function backing(maker: number, asset = GOT, fields: Partial<Backing> = {}): BookChange {
  const full: Backing = {
    owner: MAKERS[maker] ?? CONTRACT,
    asset,
    balance: 10n ** 9n,
    allowance: 10n ** 9n,
    liveUntil: 10,
    authorized: true,
    budget: 10n ** 9n,
    updated: NOW,
    pending: false,
    ...fields,
  };
  return { kind: "backing", backing: full };
}

/** All makers can pay and receive unless `changes` says otherwise. */
function ask(
  changes: readonly BookChange[],
  request: Partial<QuoteRequest>,
  frozen = false,
): QuoteResult {
  const capacity = { orders: 100, owners: 10, assets: 10, sides: 10, backings: 30 };
  const book = new SharedBook({ contract: CONTRACT, untracked: "nothing", capacity });
  const able = MAKERS.flatMap((_, maker) => [backing(maker), backing(maker, PAID)]);
  book.apply([...able, ...changes], { ledger: 7, closeTime: NOW, frozen });
  return quoteDirect(
    book.live,
    {
      direction: "strict_send",
      sellingAsset: PAID,
      buyingAsset: GOT,
      amount: 100n,
      direct: true,
      ...request,
    },
    { now: NOW, skipWindow: 600, shouldStop: () => false },
  );
}

function route(sold: bigint, bought: bigint, orders: readonly number[], worstPrice: bigint) {
  const ids = orders.map((id) => BigInt(id));
  const hop = { selling: PAID, buying: GOT, orders: ids, worstPrice };
  return { status: "success", ledger: 7, routes: [{ sold, bought, hops: [hop] }] };
}

const unfeasible = { status: "unfeasible", ledger: 7 };

test("the best prices are taken first, and rounding is the contract's", () => {
  const orders = [order(1, 0, 3n * ONE, 10n), order(2, 1, 2n * ONE, 10n)];
  assert.deepEqual(ask(orders, { amount: 27n }), route(26n, 12n, [2, 1], 3n * ONE));
  const receive = { direction: "strict_receive", amount: 15n } as const;
  assert.deepEqual(ask(orders, receive), route(35n, 15n, [2, 1], 3n * ONE));
  assert.deepEqual(ask(orders, { amount: 60n }), unfeasible);
});

test("orders of one maker share its budget, and none is filled beyond it", () => {
  const orders = [order(1, 0, ONE, 60n), order(2, 0, 2n * ONE, 60n), order(3, 1, 3n * ONE, 60n)];
  const short = backing(0, GOT, { budget: 110n });
  const receive = { direction: "strict_receive", amount: 110n } as const;
  assert.deepEqual(ask([...orders, short], receive), route(60n + 100n, 110n, [1, 2], 2n * ONE));
  assert.deepEqual(
    ask([...orders, backing(0, GOT, { budget: 109n })], receive),
    route(60n + 150n, 110n, [1, 3], 3n * ONE),
  );
  const full = backing(0, PAID, { headroom: 59n });
  const last = route(180n, 60n, [3], 3n * ONE);
  assert.deepEqual(ask([...orders, full], { direction: "strict_receive", amount: 60n }), last);
});

test("makers who cannot settle and orders about to end are left out", () => {
  const last = order(9, 2, 5n * ONE, 1000n);
  const only = route(100n, 20n, [9], 5n * ONE);
  const cases: readonly BookChange[][] = [
    [order(1, 0, ONE, 1000n), backing(0, GOT, { authorized: false, budget: 0n })],
    [order(1, 0, ONE, 1000n), backing(0, PAID, { authorized: false })],
    [order(1, 0, ONE, 1000n), { kind: "forget", owner: MAKERS[0] ?? CONTRACT, asset: GOT }],
    [order(1, 0, ONE, 1000n), backing(0, GOT, { skipped: NOW - 599 })],
    [order(1, 0, ONE, 1000n, NOW + 10)],
    [order(1, 0, ONE / 1000n, 999n)],
  ];
  for (const changes of cases) assert.deepEqual(ask([...changes, last], {}), only);
  const back = [order(1, 0, ONE, 1000n, NOW + 11), backing(0, GOT, { skipped: NOW - 600 })];
  assert.deepEqual(ask([...back, last], {}), route(100n, 100n, [1], ONE));
});

test("maxPrice crosses orders up to it, and a part will do", () => {
  const orders = [order(1, 0, ONE, 10n), order(2, 1, 2n * ONE, 10n), order(3, 2, 3n * ONE, 10n)];
  assert.deepEqual(ask(orders, { maxPrice: 2n * ONE }), route(30n, 20n, [1, 2], 2n * ONE));
  assert.deepEqual(ask(orders, { maxPrice: ONE - 1n }), unfeasible);
});

test("twenty orders are the most", () => {
  const orders = Array.from({ length: 30 }, (_, index) => order(index + 1, index % 3, ONE, 1n));
  const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
  assert.deepEqual(ask(orders, { amount: 20n }), route(20n, 20n, twenty, ONE));
  assert.deepEqual(ask(orders, { amount: 21n }), unfeasible);
});

test("a frozen contract and an asset it may not hold reject", () => {
  const orders = [order(1, 0, ONE, 1000n)];
  assert.deepEqual(ask(orders, {}, true), { status: "rejected", ledger: 7, reason: "frozen" });
  const denied = backing(99, GOT, { authorized: false });
  const reason = "contract_cannot_hold";
  assert.deepEqual(ask([...orders, denied], {}), { status: "rejected", ledger: 7, reason });
  const reverse = { sellingAsset: GOT, buyingAsset: PAID };
  assert.deepEqual(ask([...orders, denied], reverse), unfeasible);
});
