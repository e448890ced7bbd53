// Makes one market: an order on each side of a reference price, moved and filled up again in place, removed
// at the end.
//
//   node dist/examples/market-maker.js --market BASE/QUOTE --size 100
//
// Without a market it makes the busiest one. What it quotes is decided in quoting.ts, which backtest.ts runs on the
// past.
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
  limitCall,
  SendError,
  type Side,
  sendCall,
  type UpdatedOrder,
  updateCall,
  withApproval,
} from "hopbook/client";
import { connect, endProcess } from "./connect.ts";
import { readFlags } from "./flags.ts";
import { type OwnOrder, QUOTING_FLAGS, QUOTING_USAGE, Quoting, type Target } from "./quoting.ts";
import { busiestMarket, NETWORK_FLAGS, NETWORK_USAGE, POLL_MS, Trader } from "./trader.ts";

/** Kept of the native token for fees and for another order's reserve: 10 XLM. */
const FEES_KEPT = 100_000_000n;
/** After a call that failed. */
const PATIENCE_LEDGERS = 5;
/** How long an approval lives: a day at 5 s a ledger. */
const APPROVED_LEDGERS = 17_280;
const APPROVAL_LEDGERS_MIN = 120;

const USAGE = `market-maker [--market BASE/QUOTE] ${QUOTING_USAGE}
  ${NETWORK_USAGE}`;

const flags = readFlags(USAGE, {
  ...NETWORK_FLAGS,
  ...QUOTING_FLAGS,
  /** The busiest one without it. */
  market: { type: "string" },
});
const { url } = flags;
const quoting = new Quoting(flags, USAGE);

type Sides = readonly { readonly side: Side; readonly selling: string; readonly buying: string }[];

const orders = new Map<string, Order>();
const backing = new Map<TokenAddress, Backing>();
let sides: Sides = [];
let isKnown = false;
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
      quoting.see(bestBid, bestAsk);
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
  if (isSending || isEnding || !isKnown || ledger < Math.max(sentIn, waitsUntil)) return;
  const call = dueCall();
  if (call !== undefined) sending = send(call);
}

function dueCall(): ContractCall | undefined {
  const own = sides.flatMap((of) =>
    ordersOf(of).map(({ id, price, amount }): OwnOrder => {
      return { id, side: of.side, price: BigInt(price), amount: BigInt(amount) };
    }),
  );
  const updates: UpdatedOrder[] = [];
  const approvals: Approval[] = [];
  let first: ContractCall | undefined;
  for (const action of quoting.actions(own, { free: (side) => freeOf(side), said: sayFunds })) {
    const of = sides.find(({ side }) => side === action.side);
    if (of === undefined) continue;
    if (action.kind === "create") first ??= firstOrder(of, action.target);
    else if (action.kind === "remove") {
      updates.push({ amount: 0n, expires: 0n, id: BigInt(action.id), price: 1n });
    } else {
      updates.push({ ...action.target, expires: 0n, id: BigInt(action.id) });
      approvals.push(...approvalOf(of.selling, action.target.amount));
    }
  }
  return updates.length > 0 ? updateCall(trader.address, updates, approvals) : first;
}

function ordersOf({ selling, buying }: Sides[number]): readonly Order[] {
  return [...orders.values()].filter(
    (order) => order.selling === selling && order.buying === buying,
  );
}

function freeOf(side: Side): bigint {
  const selling = sides.find((of) => of.side === side)?.selling ?? "";
  const balance = BigInt(backing.get(selling)?.balance ?? 0);
  return selling === native ? balance - FEES_KEPT : balance;
}

function sayFunds(side: Side, text: string): void {
  if ((said.get(side) ?? "") !== text) {
    console.error(text === "" ? `${side}: funded` : `${side}: unfunded, has ${text} tokens`);
  }
  said.set(side, text);
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
