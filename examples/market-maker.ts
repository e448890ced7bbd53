// Makes one market: an order on each side of a reference price, moved and filled up again in place, removed
// at the end.
//
//   node dist/examples/market-maker.js --market BASE/QUOTE --size 100
//
// Without a market it makes the busiest one.
//
// The reference is the middle of the market's best prices, or --reference. A side without an order gets one by
// a `trade` of kind Limit that lists nothing; from then on `update` changes it, which keeps its id. Orders of
// the account in the market that were there before are taken over, one a side, others removed. SIGINT and
// SIGTERM remove all of them and end the program.
import { Asset } from "@stellar/stellar-sdk";
import type { AccountSnapshot, Backing, Order, OrderUpdate, TokenAddress } from "hopbook/api";
import {
  type Approval,
  type ContractCall,
  cancelCall,
  Direction,
  lesser,
  limitCall,
  makerPriceUp,
  parseUnits,
  SendError,
  type Side,
  sendCall,
  tokenAmount,
  type UpdatedOrder,
  updateCall,
  withApproval,
} from "hopbook/client";
import { connect, endProcess } from "./connect.ts";
import { readFlags, wrongUsage } from "./flags.ts";
import { busiestMarket, NETWORK_FLAGS, NETWORK_USAGE, POLL_MS, Trader } from "./trader.ts";

/** Kept of the native token for fees and for another order's reserve: 10 XLM. */
const FEES_KEPT = 100_000_000n;
/** After a call that failed. */
const PATIENCE_LEDGERS = 5;
/** How long an approval lives: a day at 5 s a ledger. */
const APPROVED_LEDGERS = 17_280;
const APPROVAL_LEDGERS_MIN = 120;
/** Digits of a reference: more would be the noise of computing with numbers. */
const DIGITS = 12;

const USAGE = `market-maker [--market BASE/QUOTE] [--size 100] [--reference PRICE] [--spread-bps 40]
  [--tolerance-bps 5] ${NETWORK_USAGE}`;

const flags = readFlags(USAGE, {
  ...NETWORK_FLAGS,
  /** The busiest one without it. */
  market: { type: "string" },
  /** Base tokens of each order. */
  size: { type: "string", default: "100" },
  /** Quote per base; without it the middle of the market. */
  reference: { type: "string" },
  "spread-bps": { type: "string", default: "40" },
  /** Moves of the reference that are not followed. */
  "tolerance-bps": { type: "string", default: "5" },
});
const { url } = flags;
const size = Number(flags.size);
const halfSpread = Number(flags["spread-bps"]) / 20_000;
const tolerance = Number(flags["tolerance-bps"]) / 10_000;
for (const [name, value] of Object.entries({ size, reference: Number(flags.reference ?? 1) })) {
  if (!(value > 0)) wrongUsage(USAGE, `--${name}: expected a number above 0`);
}
if (!(halfSpread > 0 && halfSpread < 1)) wrongUsage(USAGE, "--spread-bps: expected 1 to 19999");

/** What an order of a side should be. */
type Target = { readonly price: bigint; readonly amount: bigint };
type Sides = readonly { readonly side: Side; readonly selling: string; readonly buying: string }[];

const orders = new Map<string, Order>();
const backing = new Map<TokenAddress, Backing>();
let sides: Sides = [];
let isKnown = false;
let reference = flags.reference === undefined ? undefined : Number(flags.reference);
/** The reference that the orders were last brought to. */
let quoted: number | undefined;
let ledger = 0;
/** Of the last call: what it changed is told once this ledger is. */
let sentIn = 0;
/** After a call that failed. */
let waitsUntil = 0;
let nonce = BigInt(Date.now());
let isEnding = false;
/** What was said last of each side's funds. */
const said = new Map<Side, string>();
/** The call on its way. */
let sending: Promise<void> = Promise.resolve();
let isSending = false;

const trader = await Trader.open(flags).catch(endProcess);
const market = flags.market ?? (await busiestMarket(url).catch(endProcess));
const native = Asset.native().contractId(flags.passphrase);
await trader.hold(market.split("/")).catch(endProcess);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void end().catch(endProcess));

const push = connect(url);
push.subscribe(
  { channel: "contract" },
  {
    message: (message) => {
      if (message.type !== "ledger") return;
      ledger = message.ledger;
      // The last message of its ledger: what it changed is known.
      quote();
    },
    refused: endProcess,
  },
);
push.subscribe(
  { channel: "depth", market, limit: 1 },
  {
    message: ({ market: pair, data: { bestBid, bestAsk } }) => {
      const [base = "", counter = ""] = pair.split("/");
      sides = [
        { side: "ask", selling: base, buying: counter },
        { side: "bid", selling: counter, buying: base },
      ];
      if (flags.reference === undefined && bestBid !== null && bestAsk !== null) {
        reference = (Number(bestBid) + Number(bestAsk)) / 2;
      }
    },
    refused: endProcess,
  },
);
push.subscribe(
  { channel: "account", address: trader.address },
  {
    message: (message) => {
      if (message.type === "account") takeAccount(message);
      if (message.type === "order") takeOrder(message);
      if (message.type === "backing") {
        if (message.backing === null) backing.delete(message.asset);
        else backing.set(message.asset, message.backing);
      }
    },
    refused: endProcess,
  },
);

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
  const amounts = fill === undefined ? {} : { sold: fill.sold, bought: fill.bought };
  console.log(JSON.stringify({ action, id: order.id, left: order.amount, ...amounts }));
}

/** Sends the call that is due, unless one is on its way. */
function quote(): void {
  if (
    isSending ||
    isEnding ||
    !isKnown ||
    reference === undefined ||
    ledger < Math.max(sentIn, waitsUntil)
  )
    return;
  if (quoted === undefined || Math.abs(reference / quoted - 1) > tolerance) quoted = reference;
  const call = dueCall(quoted);
  if (call !== undefined) sending = send(call);
}

function dueCall(center: number): ContractCall | undefined {
  const updates: UpdatedOrder[] = [];
  const approvals: Approval[] = [];
  let first: ContractCall | undefined;
  for (const one of sides) {
    const target = targetOf(one, center);
    const [order, ...others] = ordersOf(one);
    for (const { id } of others)
      updates.push({ amount: 0n, expires: 0n, id: BigInt(id), price: 1n });
    if (target === undefined) continue;
    if (order === undefined) {
      first ??= firstOrder(one, target);
    } else if (!isThere(order, target)) {
      updates.push({ ...target, expires: 0n, id: BigInt(order.id) });
      approvals.push(...approvalOf(one.selling, target.amount));
    }
  }
  return updates.length > 0 ? updateCall(trader.address, updates, approvals) : first;
}

function ordersOf({ selling, buying }: Sides[number]): readonly Order[] {
  return [...orders.values()].filter(
    (order) => order.selling === selling && order.buying === buying,
  );
}

/** Undefined where the account has nothing to sell, which is said. */
function targetOf({ side, selling }: Sides[number], center: number): Target | undefined {
  const price = side === "ask" ? center * (1 + halfSpread) : center * (1 - halfSpread);
  const tokens = side === "ask" ? size : size * price;
  const wanted = parseUnits(tokens.toFixed(7));
  const balance = BigInt(backing.get(selling)?.balance ?? 0);
  const free = selling === native ? balance - FEES_KEPT : balance;
  const amount = lesser(wanted, free);
  sayFunds(
    side,
    free >= wanted ? "" : `${tokenAmount(free > 0n ? free : 0n)} of ${tokenAmount(wanted)}`,
  );
  return amount > 0n ? { price: makerPriceUp(side, decimal(price)), amount } : undefined;
}

function sayFunds(side: Side, text: string): void {
  if ((said.get(side) ?? "") !== text) {
    console.error(text === "" ? `${side}: funded` : `${side}: unfunded, has ${text} tokens`);
  }
  said.set(side, text);
}

/** A plain decimal, as a number prints only where it is neither large nor small. */
function decimal(value: number): string {
  const digits = Math.max(0, Math.min(18, DIGITS - 1 - Math.floor(Math.log10(value))));
  return value.toFixed(digits);
}

/** It lists no orders to take: it rests. */
function firstOrder({ selling, buying }: Sides[number], target: Target): ContractCall {
  nonce += 1n;
  const order = { direction: Direction.sell, trader: trader.address, selling, buying, nonce };
  const held = backing.get(selling);
  return withApproval(limitCall({ ...order, ...target }), {
    ledger,
    held,
    ledgers: APPROVED_LEDGERS,
  });
}

function approvalOf(asset: string, amount: bigint): readonly Approval[] {
  const held = backing.get(asset);
  const lives = held !== undefined && held.liveUntil > ledger + APPROVAL_LEDGERS_MIN;
  if (lives && BigInt(held.allowance) >= amount) return [];
  return [{ amount, asset, live_until: ledger + APPROVED_LEDGERS }];
}

function isThere(order: Order, { price, amount }: Target): boolean {
  const off = Number(BigInt(order.price) - price) / Number(price);
  return Math.abs(off) <= tolerance && BigInt(order.amount) === amount;
}

async function send(call: ContractCall): Promise<void> {
  isSending = true;
  try {
    const sent = await sendCall(trader.network, trader.signer, call, { pollMs: POLL_MS });
    console.log(JSON.stringify({ fn: call.fn, ledger: sent.ledger, hash: sent.hash }));
    sentIn = sent.ledger;
  } catch (error) {
    if (!(error instanceof SendError)) endProcess(error);
    console.error(`${call.fn}: ${error.message}`);
    waitsUntil = ledger + PATIENCE_LEDGERS;
  } finally {
    isSending = false;
  }
}

/** Waits for the call on its way, then removes every order of the account in the market. */
async function end(): Promise<void> {
  isEnding = true;
  await sending;
  // What it made may not be told yet.
  while (ledger < sentIn) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const ids = sides.flatMap(ordersOf).map(({ id }) => BigInt(id));
  if (ids.length > 0) {
    const call = cancelCall(trader.address, ids);
    const sent = await sendCall(trader.network, trader.signer, call, { pollMs: POLL_MS });
    console.log(JSON.stringify({ fn: call.fn, removed: ids.length, ledger: sent.ledger }));
  }
  push.close();
}
