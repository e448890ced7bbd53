// Quotes one market around a reference price: follows its orders, fills and backing, and prints the
// arguments of every contract call that brings its orders to where they should be. Signing and
// sending is up to you.
//
//   node dist/examples/market-maker.js --market BASE/QUOTE --maker G... --size 100
//
// The reference is the middle of the market's best prices, or --reference. Each order of the maker
// in the market becomes a level: the first half a spread away from it, the next a whole spread
// further. A side without any order gets its first by a `trade` of kind Limit; from then on prices
// and amounts change by `update`, which keeps an order's id.
import type {
  AccountSnapshot,
  Backing,
  DepthMessage,
  Order,
  OrderUpdate,
  PushMessage,
  TokenAddress,
} from "hopbook/api";
import { get } from "hopbook/client";
import { connect, endProcess } from "./connect.ts";
import { readFlags, requireIntegers, wrongUsage } from "./flags.ts";

/** Of contract prices. */
const PRICE_DECIMALS = 18;
/** Base units of a token. */
const TOKEN = 10_000_000;
const SELL = 1;
const LIMIT = 1;
/** Ledgers to wait for a printed call to take effect before another one is printed. */
const PATIENCE_LEDGERS = 10;

const USAGE = `market-maker --market BASE/QUOTE --maker ADDRESS [--size 100] [--reference PRICE]
  [--spread-bps 40] [--tolerance-bps 5] [--calls 0] [--url http://localhost:8080]`;

const values = readFlags(USAGE, {
  url: { type: "string", default: "http://localhost:8080" },
  market: { type: "string" },
  maker: { type: "string" },
  /** Base tokens of each order. */
  size: { type: "string", default: "100" },
  /** Quote per base; without it the middle of the market. */
  reference: { type: "string" },
  "spread-bps": { type: "string", default: "40" },
  /** Moves of the reference that are not followed. */
  "tolerance-bps": { type: "string", default: "5" },
  /** End after so many calls; 0: never. */
  calls: { type: "string", default: "0" },
});
const { url, market, maker } = values;
if (market === undefined || maker === undefined) {
  wrongUsage(USAGE, "--market and --maker are needed");
}
requireIntegers(USAGE, { calls: values.calls }, 0);
const size = Number(values.size);
const spread = Number(values["spread-bps"]) / 10_000;
const tolerance = Number(values["tolerance-bps"]) / 10_000;
const callsMax = Number(values.calls);
/** Makes the ids of first orders: one a side, so that a call sent twice leaves one order. */
const nonce = Date.now();
const fixedReference = values.reference === undefined ? undefined : Number(values.reference);
for (const [name, value] of Object.entries({ size, spread, reference: fixedReference ?? 1 })) {
  if (!(value > 0)) wrongUsage(USAGE, `--${name}: expected a number above 0`);
}

type Side = {
  readonly selling: TokenAddress;
  readonly buying: TokenAddress;
  readonly isAsk: boolean;
};
/** What an order should be. */
type Target = { readonly price: bigint; readonly amount: bigint };

/** What the account channel told, empty until its snapshot. */
const orders = new Map<string, Order>();
const backing = new Map<TokenAddress, Backing>();
let sides: readonly [Side, Side] | undefined;
let isKnown = false;
let reference = fixedReference;
/** The reference that the orders were last brought to. */
let quotedReference: number | undefined;
let ledger = 0;
/** Until this ledger the call printed last may still take effect. */
let waitsUntil = 0;
let calls = 0;

const { address: contract } = await get(url, "/contract", {}).catch(endProcess);
const feed = connect(url);
const listener = {
  message: (message: PushMessage) => {
    take(message);
    if (isWhole(message)) requote();
  },
  refused: endProcess,
};
feed.subscribe({ channel: "contract" }, listener);
feed.subscribe({ channel: "depth", market, limit: 1 }, listener);
feed.subscribe({ channel: "account", address: maker }, listener);

/**
 * Whether the ledger it is of was told in full. What one ledger changed comes as several messages, and the
 * `ledger` message after all of them; snapshots are of whole ledgers anyway, and a book that is not of a
 * ledger still to come changes the reference alone.
 */
function isWhole(message: PushMessage): boolean {
  if (message.type === "depth") return message.data.ledger <= ledger;
  return ["ledger", "account"].includes(message.type);
}

function take(message: PushMessage): void {
  if (message.type === "account") takeAccount(message);
  if (message.type === "order") takeOrder(message);
  if (message.type === "depth") takeDepth(message);
  if (message.type === "ledger") ledger = message.ledger;
  if (message.type === "contract" && "id" in message) ledger = message.ledger ?? 0;
  if (message.type === "backing") {
    if (message.backing === null) backing.delete(message.asset);
    else backing.set(message.asset, message.backing);
  }
}

/** The snapshot replaces everything that was known before a reconnect. */
function takeAccount(account: AccountSnapshot): void {
  orders.clear();
  backing.clear();
  for (const order of account.orders) orders.set(order.id, order);
  for (const [token, record] of Object.entries(account.backing)) {
    if (record !== undefined) backing.set(token, record);
  }
  isKnown = true;
}

function takeOrder({ order, action, fill }: OrderUpdate): void {
  if (order.status === "ACTIVE") orders.set(order.id, order);
  else orders.delete(order.id);
  if (action === "update" || action === "new") waitsUntil = 0;
  if (fill !== undefined) {
    console.error(`${action} of ${order.id}: sold ${fill.sold}, bought ${fill.bought}`);
  }
}

function takeDepth(message: DepthMessage): void {
  const [base = "", quote = ""] = message.market.split("/");
  sides = [
    { selling: base, buying: quote, isAsk: true },
    { selling: quote, buying: base, isAsk: false },
  ];
  const { bestBid, bestAsk } = message.data;
  if (fixedReference === undefined && bestBid !== null && bestAsk !== null) {
    reference = (Number(bestBid) + Number(bestAsk)) / 2;
  }
}

/** Prints the call that is due, unless the one printed last is still on its way. */
function requote(): void {
  if (!isKnown || sides === undefined || reference === undefined || ledger < waitsUntil) return;
  const moved = Math.abs(reference / (quotedReference ?? 0) - 1);
  if (moved > tolerance) quotedReference = reference;
  const center = quotedReference ?? reference;
  const updates = sides.flatMap((side) => updatesOf(side, center));
  if (updates.length > 0) {
    print({ contract, fn: "update", args: { trader: maker, updates, approvals: [] } });
    return;
  }
  const missing = sides.find((side) => ordersOf(side).length === 0);
  if (missing === undefined) return;
  const target = targetOf(missing, 0, center);
  if (target.amount > 0n) print({ contract, fn: "trade", args: firstOrder(missing, target) });
}

/** What has to change in the orders of a side. */
function updatesOf(side: Side, center: number): readonly object[] {
  return ordersOf(side).flatMap((order, level) => {
    const target = targetOf(side, level, center);
    // An order without backing cannot be filled: it stays as it is until there is some.
    if (target.amount === 0n || isThere(order, target)) return [];
    const expires = order.expires === undefined ? 0 : Date.parse(`${order.expires} UTC`) / 1000;
    const { price, amount } = target;
    return {
      amount: String(amount),
      expires: String(expires),
      id: order.id,
      price: String(price),
    };
  });
}

/** The maker's orders of a side, the best price first. */
function ordersOf({ selling, buying }: Side): readonly Order[] {
  return [...orders.values()]
    .filter((order) => order.selling === selling && order.buying === buying)
    .sort((a, b) => (BigInt(a.price) < BigInt(b.price) ? -1 : 1));
}

function targetOf(side: Side, level: number, center: number): Target {
  const distance = spread * (level + 0.5);
  // Of an ask quote per base, of a bid base per quote: always what the maker gets per what it sells.
  const price = side.isAsk ? center * (1 + distance) : 1 / (center * (1 - distance));
  const wanted = side.isAsk ? size : size * center * (1 - distance);
  const amount = BigInt(Math.round(wanted * TOKEN));
  // All orders that sell one token share its budget.
  const sharing = [...orders.values()].filter(({ selling }) => selling === side.selling).length;
  const budget = BigInt(backing.get(side.selling)?.budget ?? 0);
  const share = budget / BigInt(Math.max(1, sharing));
  return { price: contractPrice(price), amount: amount < share ? amount : share };
}

/** With twelve digits: more would be the noise of computing with numbers. */
function contractPrice(price: number): bigint {
  const [mantissa = "", exponent = "0"] = price.toExponential(11).split("e");
  const zeros = PRICE_DECIMALS - 11 + Number(exponent);
  const digits = BigInt(mantissa.replace(".", ""));
  return zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros);
}

function isThere(order: Order, { price, amount }: Target): boolean {
  const off = Number(BigInt(order.price) - price) / Number(price);
  return Math.abs(off) <= tolerance && BigInt(order.amount) === amount;
}

/** It lists no orders to take: it rests. */
function firstOrder({ selling, buying, isAsk }: Side, { price, amount }: Target): object {
  return {
    direction: SELL,
    kind: LIMIT,
    trader: maker,
    amount: String(amount),
    selling,
    buying,
    price: String(price),
    orders: [],
    nonce: String(isAsk ? nonce : nonce + 1),
    expires: "0",
    approve: null,
  };
}

function print(call: object): void {
  console.log(JSON.stringify(call));
  waitsUntil = ledger + PATIENCE_LEDGERS;
  calls += 1;
  if (calls === callsMax) feed.close();
}
