import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANN,
  BEN,
  CAT,
  DAN,
  EXCHANGE,
  failure,
  GOLD,
  IRON,
  LEDGER,
  NOW,
  ORACLE,
  returned,
  SALT,
  SampleExchange,
} from "../../../test/support/devnet/sample-exchange.ts";
import { orderId } from "../../model/order.ts";
import { I128_MAX, PRICE_MAX, PRICE_UNIT } from "../../model/settlement.ts";
import { Direction, TradeKind, tradeParameters } from "./call.ts";
import { deriveOrderId } from "./order-id.ts";

const [LIMIT, FILL, FILL_OR_KILL] = [TradeKind.limit, TradeKind.fill, TradeKind.fillOrKill];

test("a sale fills in list order and settles makers by address", () => {
  const sample = new SampleExchange();
  const [late, early] = [sample.place(1, { owner: CAT, amount: 60n }), sample.place(2)];
  assert.deepEqual(returned(sample.trade([late, early])), [100n, 100n, undefined]);
  assert.deepEqual(
    sample.events.map((event) => event.kind === "trade" && [event.order, event.left]),
    [
      [early, 60n],
      [late, 0n],
    ],
  );
  assert.equal(sample.order(late), undefined);
  assert.equal(sample.order(early)?.amount, 60n);
});

test("costs round up, what a sale gets rounds down, and what buys nothing stays", () => {
  const sample = new SampleExchange();
  const price = (PRICE_UNIT * 7n) / 3n;
  const id = sample.place(1, { price });
  assert.deepEqual(returned(sample.trade([id], { amount: 20n })), [19n, 8n, undefined]);
  const bought = { direction: Direction.buy, amount: 4n, price: PRICE_MAX };
  assert.deepEqual(returned(sample.trade([id], bought)), [10n, 4n, undefined]);
});

test("a rest that is worth less than one unit removes the order", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { amount: 100n, price: PRICE_UNIT / 10n });
  sample.trade([id], { direction: Direction.buy, amount: 91n, price: PRICE_UNIT });
  assert.equal(sample.order(id), undefined);
  const [fill] = sample.events;
  assert(fill?.kind === "trade" && fill.left === 0n && fill.bought === 91n);
});

test("the limit is inclusive and compares with the order's price alone", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { price: 3n * PRICE_UNIT });
  const sale = { price: PRICE_UNIT / 3n };
  assert.deepEqual(returned(sample.trade([id], sale)), [99n, 33n, undefined]);
  const stricter = { price: PRICE_UNIT / 3n + 1n };
  assert.deepEqual(returned(sample.trade([id], stricter)), [0n, 0n, undefined]);
  const purchase = { direction: Direction.buy, amount: 1n };
  const at = (price: bigint) => returned(sample.trade([id], { ...purchase, price }));
  assert.deepEqual(at(3n * PRICE_UNIT), [3n, 1n, undefined]);
  assert.deepEqual(at(3n * PRICE_UNIT - 1n), [0n, 0n, undefined]);
});

test("unknown, expired and other pairs' orders are ignored without a trace, doubles count once", () => {
  const sample = new SampleExchange();
  const expired = sample.place(1, { expires: BigInt(NOW) });
  const other = sample.place(2, { buying: SALT });
  const good = sample.place(3, { amount: 10n, expires: BigInt(NOW + 1) });
  const outcome = sample.trade([expired, orderId(9n), other, good, good], { amount: 50n });
  assert.deepEqual(returned(outcome), [10n, 10n, undefined]);
  assert.deepEqual(
    sample.events.map(({ kind }) => kind),
    ["trade"],
  );
});

test("a maker's orders share its backing, and one it cannot cover is skipped whole", () => {
  const sample = new SampleExchange();
  sample.setAllowance(GOLD, ANN, 70n);
  const ids = [sample.place(1, { amount: 50n }), sample.place(2, { amount: 30n })];
  const third = sample.place(3, { amount: 20n });
  assert.deepEqual(returned(sample.trade([...ids, third])), [70n, 70n, undefined]);
  assert.deepEqual(sample.events.at(-1), { kind: "skip", id: ids[1] });
});

test("a maker that cannot take the payment has no backing; one whose gold is stuck is skipped", () => {
  const sample = new SampleExchange();
  sample.setHolding(IRON, ANN, 0n, false);
  sample.setHolding(GOLD, BEN, 1_000n, false);
  const [barred, stuck] = [sample.place(1), sample.place(2, { owner: BEN })];
  const good = sample.place(3, { owner: CAT });
  const outcome = sample.trade([stuck, barred, good], { amount: 150n });
  assert.deepEqual(returned(outcome), [50n, 50n, undefined]);
  const skips = sample.events.flatMap((event) => (event.kind === "skip" ? [event.id] : []));
  assert.deepEqual(skips, [barred, stuck]);
});

test("FillOrKill fails unless the whole amount is filled", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { amount: 60n });
  assert.equal(failure(sample.trade([id], { kind: FILL_OR_KILL })), "notFilled");
  assert.equal(sample.order(id)?.amount, 60n);
  const exact = sample.trade([id], { kind: FILL_OR_KILL, amount: 60n });
  assert.deepEqual(returned(exact), [60n, 60n, undefined]);
});

test("a limit sale leaves its rest as an order, at its own price", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { amount: 30n });
  const call = { kind: LIMIT, price: PRICE_UNIT / 2n, nonce: 5n, expires: BigInt(NOW + 60) };
  const placed = deriveOrderId(DAN, 5n);
  assert.deepEqual(returned(sample.trade([id], call)), [30n, 30n, placed]);
  const terms = { owner: DAN, selling: IRON, buying: GOLD, amount: 70n, price: PRICE_UNIT / 2n };
  assert.deepEqual({ ...sample.order(placed) }, { ...terms, expires: BigInt(NOW + 60) });
});

test("a limit purchase leaves a sale of what it would have paid, at the inverted price", () => {
  const sample = new SampleExchange();
  const call = { kind: LIMIT, direction: Direction.buy, amount: 10n, price: PRICE_UNIT / 3n };
  const [, , placed] = returned(sample.trade([], call));
  assert(placed !== undefined);
  const { amount, price } = sample.order(orderId(placed)) ?? {};
  assert.deepEqual([amount, price], [4n, 3n * PRICE_UNIT + 4n]);
});

test("a limit order's rest needs a free id, means and leave to be paid", () => {
  const sample = new SampleExchange();
  const limit = { kind: LIMIT, price: PRICE_UNIT };
  const taken = deriveOrderId(DAN, 0n);
  sample.place(taken, { expires: BigInt(NOW + 1) });
  assert.equal(failure(sample.trade([], limit)), "orderExists");
  sample.world.now = NOW + 1;
  assert.deepEqual(returned(sample.trade([], limit)), [0n, 0n, taken]);
  sample.setHolding(GOLD, DAN, 0n, false);
  const next = { ...limit, nonce: 1n };
  assert.equal(failure(sample.trade([], next)), "cannotReceive");
  sample.setAllowance(IRON, DAN, 99n);
  assert.equal(failure(sample.trade([], next)), "insufficientAllowance");
  sample.setHolding(IRON, DAN, 99n);
  assert.equal(failure(sample.trade([], next)), "insufficientBalance");
  sample.place(deriveOrderId(DAN, 1n));
  assert.equal(failure(sample.trade([], next)), "orderExists");
});

test("a rest of dust is refused where nothing was filled, and dropped after a fill", () => {
  const sample = new SampleExchange();
  const call = { kind: LIMIT, amount: 3n, price: PRICE_UNIT / 3n };
  assert.equal(failure(sample.trade([], { ...call, amount: 2n })), "orderSizeTooSmall");
  const id = sample.place(1, { amount: 1n });
  assert.deepEqual(returned(sample.trade([id], call)), [1n, 1n, undefined]);
  assert.deepEqual(
    sample.events.map(({ kind }) => kind),
    ["trade"],
  );
});

test("a sale is in full where what is left buys nothing at the highest price that was filled", () => {
  const sample = new SampleExchange();
  const place = () => [
    sample.place(1, { amount: 10n }),
    sample.place(2, { owner: BEN, amount: 10n, price: 10n * PRICE_UNIT }),
  ];
  const call = { kind: FILL_OR_KILL, amount: 119n };
  assert.deepEqual(returned(sample.trade(place(), call)), [110n, 20n, undefined]);
  assert.equal(failure(sample.trade(place(), { ...call, amount: 120n })), "notFilled");
  const limit = { ...call, kind: LIMIT, price: PRICE_UNIT / 20n };
  assert.deepEqual(returned(sample.trade(place(), limit)), [110n, 20n, undefined]);
});

test("FillOrKill looks at its plan before anything moves, and at what was settled after it", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  sample.setHolding(GOLD, DAN, 0n, false);
  assert.equal(failure(sample.trade([id], { kind: FILL_OR_KILL, amount: 101n })), "notFilled");
  assert.equal(failure(sample.trade([id], { kind: FILL_OR_KILL })), "cannotReceive");
  sample.setHolding(GOLD, EXCHANGE, 0n, false);
  assert.equal(failure(sample.trade([id], { kind: FILL_OR_KILL })), "cannotReceive");
  sample.setHolding(GOLD, DAN, 0n);
  assert.equal(failure(sample.trade([id], { kind: FILL_OR_KILL })), "intermediaryCannotReceive");
  sample.setHolding(GOLD, EXCHANGE, 0n);
  // In the plan, but its balance is stuck: the rest is settled, and that is not all.
  sample.tokens.get(GOLD)?.holdings.set(ANN, {
    balance: 100n,
    authorized: true,
    sellingLiabilities: 1n,
  });
  assert.equal(failure(sample.trade([id], { kind: FILL_OR_KILL })), "notFilled");
  assert.deepEqual(returned(sample.trade([id])), [0n, 0n, undefined]);
  assert.deepEqual(sample.events, [{ kind: "skip", id }]);
});

test("a balance below its liabilities is a fault that no call survives", () => {
  const sample = new SampleExchange();
  const [id, other] = [sample.place(1), sample.place(2, { owner: BEN })];
  const holding = { balance: 1n, authorized: true, sellingLiabilities: 2n };
  sample.tokens.get(GOLD)?.holdings.set(ANN, holding);
  assert.equal(failure(sample.trade([other, id], { amount: 101n })), "fault");
  // Not looked at: the trade is filled before it.
  assert.deepEqual(returned(sample.trade([other, id])), [100n, 100n, undefined]);
});

test("checks write nothing: the exchange has no record before the first transfer to it", () => {
  const sample = new SampleExchange();
  const holdings = sample.tokens.get(GOLD)?.holdings;
  assert.equal(
    failure(sample.trade([sample.place(1)], { amount: 101n, kind: FILL_OR_KILL })),
    "notFilled",
  );
  sample.setAllowance(GOLD, ANN, 0n);
  assert.equal(failure(sample.trade([sample.place(1)])), undefined);
  assert.equal(holdings?.has(EXCHANGE), false);
  const approve = { asset: IRON, amount: 0n, liveUntil: 0 };
  sample.tokens.get(IRON)?.allowances.clear();
  assert.equal(failure(sample.trade([], { approve })), undefined);
  assert.equal(sample.tokens.get(IRON)?.allowances.size, 0);
});

test("an approval that its token refuses fails the call after the arguments, before the market", () => {
  const sample = new SampleExchange();
  sample.world.markets.clear();
  const call = (amount: bigint, liveUntil: number) =>
    failure(sample.trade([], { kind: LIMIT, approve: { asset: IRON, amount, liveUntil } }));
  assert.equal(call(-1n, LEDGER), 8);
  assert.equal(call(1n, LEDGER - 1), 9);
  assert.equal(call(1n, LEDGER + 3_110_400), 9);
  assert.equal(call(1n, LEDGER + 3_110_399), "assetsNotVerifiedByOracle");
  const bad = { asset: IRON, amount: -1n, liveUntil: LEDGER };
  assert.equal(failure(sample.trade([], { buying: IRON, approve: bad })), "invalidMatch");
});

test("what fails first is what the caller sees", () => {
  const sample = new SampleExchange();
  sample.world.markets.clear();
  const all = { kind: LIMIT, amount: 0n, price: 0n, buying: IRON, expires: 1n };
  assert.equal(failure(sample.trade([], all)), "invalidAmount");
  assert.equal(failure(sample.trade([], { ...all, amount: 1n })), "invalidPrice");
  const priced = { ...all, amount: 1n, price: PRICE_MAX };
  assert.equal(failure(sample.trade([], priced)), "invalidMatch");
  assert.equal(failure(sample.trade([], { ...priced, buying: GOLD })), "invalidExpiration");
  const open = { ...priced, buying: GOLD, expires: 0n };
  assert.equal(failure(sample.trade([], open)), "assetsNotVerifiedByOracle");
});

test("a limit order needs an open market, a recent price and a minimum value; others do not", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  const limit = { kind: LIMIT, price: PRICE_UNIT };
  sample.configure({ minTradeSize: 101n });
  // 100 base units at a dollar a token are 100 of the dollar's 7 decimals.
  assert.equal(failure(sample.trade([id], limit)), "orderSizeTooSmall");
  assert.equal(failure(sample.trade([id], { ...limit, amount: 101n, nonce: 1n })), undefined);
  sample.place(1);
  // Of the last 72 hours.
  const old = { price: 10n ** 14n, timestamp: NOW - 259_200 };
  sample.prices.set(IRON, old);
  assert.equal(failure(sample.trade([id], limit)), "orderSizeTooSmall");
  // Otherwise by what it buys, rounded up: 101 gold at this price.
  sample.prices.set(IRON, { ...old, timestamp: NOW - 259_201 });
  sample.prices.set(GOLD, { price: 10n ** 14n, timestamp: NOW });
  assert.equal(failure(sample.trade([id], limit)), "orderSizeTooSmall");
  const dearer = { ...limit, price: PRICE_UNIT + 1n, nonce: 2n };
  assert.equal(failure(sample.trade([], dearer)), undefined);
  sample.prices.set(GOLD, { ...old, timestamp: NOW - 259_201 });
  assert.equal(failure(sample.trade([id], limit)), "assetPriceOracleFetchFailed");
  sample.world.contracts.delete(ORACLE);
  assert.equal(failure(sample.trade([id], limit)), "assetPriceOracleFetchFailed");
  for (const [key, market] of sample.world.markets) {
    const side = { decimals: 7, listed: false };
    sample.world.markets.set(key, { ...market, base: side, quote: side });
  }
  assert.equal(failure(sample.trade([id], limit)), "assetsNotVerifiedByOracle");
  sample.world.markets.clear();
  assert.equal(failure(sample.trade([id], limit)), "assetsNotVerifiedByOracle");
  assert.deepEqual(returned(sample.trade([id], { kind: FILL })), [100n, 100n, undefined]);
});

test("arguments out of range have codes of their own, and freezing comes before them", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  assert.equal(failure(sample.trade([id], { amount: 0n })), "invalidAmount");
  assert.equal(failure(sample.trade([id], { price: 0n })), "invalidPrice");
  assert.equal(failure(sample.trade([id], { price: PRICE_MAX + 1n })), "invalidPrice");
  assert.equal(failure(sample.trade([id], { buying: IRON })), "invalidMatch");
  const stale = { kind: LIMIT, price: PRICE_UNIT, expires: BigInt(NOW) };
  assert.equal(failure(sample.trade([id], stale)), "invalidExpiration");
  const huge = { kind: LIMIT, direction: Direction.buy, amount: I128_MAX, price: 2n * PRICE_UNIT };
  assert.equal(failure(sample.trade([], huge)), "overflow");
  const dear = { kind: LIMIT, amount: I128_MAX, price: 2n * PRICE_UNIT };
  assert.equal(failure(sample.trade([], dear)), "overflow");
  sample.freeze();
  assert.equal(failure(sample.trade([id], { amount: 0n })), "frozen");
});

test("the trader must have signed", () => {
  const sample = new SampleExchange();
  const terms = { direction: Direction.sell, kind: FILL, trader: DAN, amount: 10n, price: 1n };
  const listed = { selling: IRON, buying: GOLD, orders: [sample.place(1)], nonce: 0n, expires: 0n };
  const args = tradeParameters.write({ ...terms, ...listed });
  assert.equal(failure(sample.call(CAT, "trade", args)), "auth");
  assert.equal(failure(sample.call(DAN, "trade", args)), undefined);
});

test("a payment that fails fails the call with the token's code", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  const args = { amount: 10n };
  sample.setAllowance(IRON, DAN, 9n);
  assert.equal(failure(sample.trade([id], args)), 9);
  const approve = { asset: IRON, amount: 10n, liveUntil: sample.world.ledger };
  sample.setHolding(IRON, DAN, 9n);
  assert.equal(failure(sample.trade([id], { ...args, approve })), 10);
  sample.setHolding(IRON, DAN, 10n, false);
  assert.equal(failure(sample.trade([id], { ...args, approve })), 11);
  sample.setHolding(IRON, DAN, 10n);
  sample.setHolding(GOLD, DAN, 0n, false);
  assert.equal(failure(sample.trade([id], { ...args, approve })), "cannotReceive");
  assert.equal(sample.balance(IRON, DAN), 10n);
});

test("gold that the exchange may not hold cannot be bought", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  sample.setHolding(GOLD, EXCHANGE, 0n, false);
  assert.equal(failure(sample.trade([id])), "intermediaryCannotReceive");
  assert.deepEqual(returned(sample.trade([])), [0n, 0n, undefined]);
});

test("a taker may take its own order: its balances stay, its allowances are used", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { owner: DAN });
  const before = [sample.balance(GOLD, DAN), sample.balance(IRON, DAN)];
  assert.deepEqual(returned(sample.trade([id])), [100n, 100n, undefined]);
  assert.deepEqual([sample.balance(GOLD, DAN), sample.balance(IRON, DAN)], before);
  assert.equal(sample.order(id), undefined);
});
