// The thread that makes the ledgers of `book-steps`, as an engine's come from its reader thread: so that making them is
// no work, and no garbage, of the main thread that is measured. On `LedgersJob` it begins, on "next" it posts one. What
// it is to change of entries comes first, on its own.
import assert from "node:assert/strict";
import { parentPort } from "node:worker_threads";
import type { EntryChange, LedgerDelta } from "../src/model/ledger-delta.ts";
import { type OrderId, orderId } from "../src/model/order.ts";
import { account, token } from "../test/support/addresses.ts";
import { type Follows, type NewEvent, nextLedger } from "../test/support/ledgers.ts";

/** `last`, `time`: the ledger before the first, and its close time (UNIX seconds). */
export type LedgersJob = { readonly last: Follows; readonly time: number } & (
  | { readonly kind: "grow"; readonly orders: number }
  /** Partial fills of these orders, and changes of entries. */
  | {
      readonly kind: "trade";
      readonly orders: number;
      readonly ledgers: number;
      /** Seconds from one to the next. */
      readonly seconds: number;
    }
);

/** New orders of a ledger. */
export const GROWTH = 5000;
/** Of a ledger, and as many changed entries. */
export const FILLS = 500;
export const LEDGER_SECONDS = 5;
/** Of either asset by a fill. */
export const FILLED = 1_000_000n;

const ORDERS_A_MAKER = 50;
const TOKENS = 50;
const AMOUNT = 10n ** 10n;
const UNIT = 10n ** 18n;

type NewOrder = Extract<NewEvent, { readonly kind: "new" }>;

let fills = 0;
let entries: readonly EntryChange[] = [];
let ledgers: Iterator<LedgerDelta> = [].values();

parentPort?.on("message", (message: readonly EntryChange[] | LedgersJob | "next") => {
  if (message === "next") {
    const next = ledgers.next();
    if (next.done !== true) parentPort?.postMessage(next.value);
  } else if ("kind" in message) ledgers = ledgersOf(message);
  else entries = message;
});

function* ledgersOf(job: LedgersJob): Generator<LedgerDelta> {
  let last = job.last;
  let time = job.time;
  const seconds = job.kind === "grow" ? LEDGER_SECONDS : job.seconds;
  for (const content of job.kind === "grow" ? growing(job.orders) : trading(job)) {
    time += seconds;
    const delta = { ...nextLedger(last, time, content.events), entries: content.entries };
    last = delta;
    yield delta;
  }
}

type Content = { readonly events: readonly NewEvent[]; readonly entries: readonly EntryChange[] };

function* growing(orders: number): Generator<Content> {
  for (let first = 0; first < orders; first += GROWTH) {
    const count = Math.min(GROWTH, orders - first);
    yield { events: Array.from({ length: count }, (_, at) => newOrder(first + at)), entries: [] };
  }
}

function* trading(job: Extract<LedgersJob, { readonly kind: "trade" }>): Generator<Content> {
  for (let ledger = 0; ledger < job.ledgers; ledger += 1) {
    const events: NewEvent[] = [];
    const changes: EntryChange[] = [];
    for (let fill = 0; fill < FILLS; fill += 1) {
      fills += 1;
      events.push(fillOf(fills, job.orders));
      changes.push(changedEntry(fills));
    }
    yield { events, entries: changes };
  }
}

/** A part of an order far from the last one. */
function fillOf(number: number, orders: number): NewEvent {
  const { id, owner, selling, buying } = newOrder((number * 7919) % orders);
  const left = AMOUNT - BigInt(number);
  const trade = { kind: "trade", order: id, maker: owner, taker: account(0) } as const;
  const amounts = { sold: FILLED, bought: FILLED, left };
  return { ...trade, ...amounts, soldAsset: buying, boughtAsset: selling, crossfill: false };
}

function changedEntry(number: number): EntryChange {
  const change = entries[(number * 104_729) % entries.length] ?? assert.fail("no entries");
  const { key, entry } = change;
  if (entry?.kind !== "trustline") return change;
  return { key, entry: { ...entry, balance: entry.balance - BigInt(number) } };
}

function newOrder(at: number): NewOrder {
  const maker = Math.floor(at / ORDERS_A_MAKER);
  // A maker quotes both sides of one market.
  const pair = [maker % TOKENS, (maker + 1 + (Math.floor(maker / TOKENS) % (TOKENS - 1))) % TOKENS];
  const [one = 0, other = 0] = at % 2 === 0 ? pair : pair.toReversed();
  return {
    kind: "new",
    id: orderId(BigInt(at + 1) << 80n) satisfies OrderId,
    owner: account(1 + maker),
    selling: token(one),
    buying: token(other),
    price: UNIT + BigInt(at) * 10n ** 6n,
    amount: AMOUNT,
    expires: 0,
  };
}
