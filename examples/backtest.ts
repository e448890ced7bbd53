// Runs the market maker's strategy (quoting.ts) on the past of a market: what it would have traded, and what came of
// it.
//
//   npm run -s replay -- --market BASE/QUOTE --from 1000 --to 18280 > day.ndjson
//   node dist/examples/backtest.js --file day.ndjson --base 1000 --quote 1000
//
// Without --file it reads standard input. A day is 17,280 ledgers of 5 seconds. Prints a line of JSON for every fill,
// then what was left: inventory and profit in quote tokens, the change of the inventory at the last middle of the
// market.
//
// How a made-up order is filled:
// - It is in the book after the ledger that follows the one it was decided in (--delay ledgers later), and only fills
//   of later ledgers can meet it. While it is on its way nothing else is decided, as with a call that was sent.
// - It is filled by real fills alone, those of orders of its side at prices worse for the taker than its own: that
//   taker would have taken it first. At most as much as those fills delivered, at its own price, by the contract's
//   arithmetic.
// - It stands behind every better price and every real order of the same price: what was filled there is not its own.
// - It has no other effect: the real orders are filled as they were, takers buy no more for finding a better price, and
//   nobody answers it. Fees are left out, and its approvals and balances last as long as the inventory does.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { BookChanges, BookSnapshot } from "hopbook/api";
import {
  displayPrice,
  fillBuying,
  isDust,
  LocalBook,
  parseUnits,
  type Side,
  tokenAmount,
} from "hopbook/client";
import { readFlags, requireIntegers, wrongUsage } from "./flags.ts";
import { type Action, type OwnOrder, QUOTING_FLAGS, QUOTING_USAGE, Quoting } from "./quoting.ts";

const USAGE = `backtest [--file REPLAY.ndjson] [--base 1000] [--quote 1000] [--delay 1]
  ${QUOTING_USAGE}`;

const flags = readFlags(USAGE, {
  ...QUOTING_FLAGS,
  /** What `npm run replay` printed; without it standard input. */
  file: { type: "string" },
  /** Tokens at the beginning. */
  base: { type: "string", default: "1000" },
  quote: { type: "string", default: "1000" },
  /** Ledgers from a decision to the ledger that makes it. */
  delay: { type: "string", default: "1" },
});
requireIntegers(USAGE, { delay: flags.delay }, 0);

const quoting = new Quoting(flags, USAGE);
const book = new LocalBook();
const start = { base: unitsOf("base"), quote: unitsOf("quote") };
const has = { ...start };
let own: OwnOrder[] = [];
/** Decided and not made yet. */
let pending: { readonly ledger: number; readonly actions: readonly Action[] } | undefined;
let made = 0;
let fills = 0;
let firstLedger: number | undefined;

const input = flags.file === undefined ? process.stdin : createReadStream(flags.file);
input.on("error", (error: Error) => fail(`--file: ${error.message}`));
let lineNumber = 0;
for await (const line of createInterface({ input })) {
  lineNumber += 1;
  if (line !== "") take(messageOf(line));
}
if (!book.isComplete) fail("there is no whole snapshot in it");
console.log(JSON.stringify(summary()));

function take(message: BookSnapshot | BookChanges): void {
  if (message.type === "changes") {
    if (pending !== undefined && pending.ledger < message.ledger) make(pending.actions);
    meet(message);
  }
  if (book.apply(message) === "gap") fail(`line ${lineNumber}: a message before it is missing`);
  if (!book.isComplete) return;
  firstLedger ??= message.ledger;
  quoting.see(bestPrice("bid"), bestPrice("ask"));
  if (pending !== undefined) return;
  const free = (side: Side) => (side === "ask" ? has.base : has.quote);
  const actions = quoting.actions(own, { free, said: () => undefined });
  if (actions.length > 0) pending = { ledger: message.ledger + Number(flags.delay), actions };
}

/** The made-up orders change: as `update` changes orders, they keep their id. */
function make(actions: readonly Action[]): void {
  pending = undefined;
  for (const action of actions) {
    const { side } = action;
    if (action.kind === "create") {
      made += 1;
      own.push({ id: `own ${made}`, side, ...action.target });
      continue;
    }
    // One that was filled meanwhile is not there any more.
    own = own.flatMap((order) => {
      if (order.id !== action.id) return [order];
      return action.kind === "remove" ? [] : [{ ...order, ...action.target }];
    });
  }
}

/** What real fills of the message would have left to the made-up orders. */
function meet({ ledger, changes }: BookChanges): void {
  const prices = new Map<string, bigint>();
  for (const { id, side, order, fill } of changes) {
    if (order !== undefined) prices.set(id, BigInt(order.price));
    // A crossfill's own order takes: it is no maker's.
    if (fill === undefined || fill.crossfill === true) continue;
    const price = prices.get(id) ?? book.order(id)?.price;
    if (price !== undefined)
      meetFill({ ledger, ts: fill.ts, side, price, left: BigInt(fill.sold) });
  }
}

type RealFill = {
  readonly ledger: number;
  readonly ts: number;
  readonly side: Side;
  /** Of the maker that was filled. */
  readonly price: bigint;
  /** Base units that it delivered. */
  readonly left: bigint;
};

function meetFill({ ledger, ts, side, price, left: delivered }: RealFill): void {
  let left = delivered;
  // The best first; the order of a side with a lower maker price is better for its taker.
  const met = own.filter((order) => order.side === side && order.price < price);
  for (const order of met.sort((a, b) => (a.price < b.price ? -1 : 1))) {
    if (left === 0n) return;
    const balance = side === "ask" ? has.base : has.quote;
    const offered = order.amount < balance ? order.amount : balance;
    if (offered <= 0n) continue;
    const { sold, bought } = fillBuying(left, offered, order.price);
    left -= bought;
    const rest = order.amount - bought;
    own = own.flatMap((one) => {
      if (one.id !== order.id) return [one];
      return isDust(rest, one.price) ? [] : [{ ...one, amount: rest }];
    });
    has.base += side === "ask" ? -bought : sold;
    has.quote += side === "ask" ? sold : -bought;
    fills += 1;
    const at = displayPrice(side, order.price);
    const amounts = { sold: tokenAmount(bought), bought: tokenAmount(sold) };
    console.log(JSON.stringify({ ledger, ts, side, price: at, ...amounts, ...inventory() }));
  }
}

function inventory() {
  return { base: tokenAmount(has.base), quote: tokenAmount(has.quote) };
}

function summary() {
  const { reference } = quoting;
  const gained = { base: has.base - start.base, quote: has.quote - start.quote };
  const profit = Number(gained.quote) + Number(gained.base) * (reference ?? 0);
  const ledgers = { from: firstLedger, to: book.ledger };
  const value = { middle: reference ?? null, profit: (profit / 1e7).toFixed(7) };
  return { ...ledgers, fills, ...inventory(), ...value };
}

function bestPrice(side: Side): string | null {
  const price = book.best(side);
  return price === undefined ? null : displayPrice(side, price);
}

function messageOf(line: string): BookSnapshot | BookChanges {
  try {
    const message: unknown = JSON.parse(line);
    if (isBookMessage(message)) return message;
  } catch {
    // Told below.
  }
  return fail(`line ${lineNumber}: no message of channel book`);
}

function isBookMessage(message: unknown): message is BookSnapshot | BookChanges {
  if (typeof message !== "object" || message === null || !("type" in message)) return false;
  return message.type === "book" || message.type === "changes";
}

function unitsOf(name: "base" | "quote"): bigint {
  try {
    return parseUnits(flags[name]);
  } catch {
    return wrongUsage(USAGE, `--${name}: expected an amount of tokens`);
  }
}

function fail(problem: string): never {
  console.error(problem);
  process.exit(1);
}
