// Ledgers of a long history in few, large steps, for benches whose subject is what such a history
// costs: live orders that stay, trades, archived orders and failed calls, of many makers in many
// markets. The same seed makes the same ledgers.
import assert from "node:assert/strict";
import { Exchange } from "../src/book/exchange.ts";
import { type Address, canonicalPair, type Pair } from "../src/model/address.ts";
import type { LedgerDelta } from "../src/model/ledger-delta.ts";
import { type OrderId, orderId } from "../src/model/order.ts";
import { account, token } from "../test/support/addresses.ts";
import { silentLog } from "../test/support/exchange.ts";
import {
  type Follows,
  ledgerHash,
  type NewEvent,
  type NewFailure,
  nextLedger,
} from "../test/support/ledgers.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";
import { PlentyBacking } from "./plenty.ts";

export const HISTORY_EXCHANGE = token(10_000);
export const HISTORY_MARKETS = 200;
/** As in a book of 100,000 orders. */
const MAKERS = 2000;
/** Markets that one maker has orders in. */
const MARKETS_A_MAKER = 4;
const TOKENS = 50;
const EVENTS_A_LEDGER = 20_000;
const LEDGERS_MIN = 10;
/** Of so many trades one closes an order that the archive then holds, and one has a failed call. */
const TRADES_AN_ARCHIVED = 10;
const TRADES_A_FAILURE = 20;
const FAILED_FUNCTIONS = ["trade", "swap", "update", "crossfill"];
const UNIT = 10n ** 18n;
export const HISTORY_PASSPHRASE = "a network for benches";
const DAYS = 30;
const DAY = 86_400;
const SEED = 88;

export type HistoryPlan = {
  /** Live orders that the ledgers leave behind. */
  readonly orders: number;
  readonly trades: number;
  /** Seconds from one ledger to the next. */
  readonly ledgerSeconds: number;
};

export class HistoryLedgers {
  readonly #random: Random = randomFrom(SEED);
  readonly markets: readonly Pair[] = allPairs().slice(0, HISTORY_MARKETS);
  #last: Follows;
  #orders = 0;
  #time: number;

  readonly #makers: number;

  constructor(firstLedger: number, time: number, makers = MAKERS) {
    this.#makers = makers;
    this.#last = { ledger: firstLedger - 1, hash: ledgerHash(firstLedger - 1) };
    this.#time = time;
  }

  /** Close time of the last ledger made, UNIX seconds. */
  get time(): number {
    return this.#time;
  }

  get ledger(): number {
    return this.#last.ledger;
  }

  *grow({ orders, trades, ledgerSeconds }: HistoryPlan): Generator<LedgerDelta> {
    const ledgers = historyLedgers({ orders, trades });
    for (let at = 0; at < ledgers; at += 1) {
      const share = (all: number) =>
        Math.floor((all * (at + 1)) / ledgers) - Math.floor((all * at) / ledgers);
      const events: NewEvent[] = [];
      const failures: NewFailure[] = [];
      const [newOrders, newTrades] = [share(orders), share(trades)];
      // One after the other in turn, so that every part of a ledger has some of each.
      const turns = Math.max(newOrders, newTrades);
      const isDue = (count: number, turn: number) =>
        Math.floor((count * (turn + 1)) / turns) > Math.floor((count * turn) / turns);
      for (let turn = 0; turn < turns; turn += 1) {
        if (isDue(newOrders, turn)) events.push(this.#newOrder().event);
        if (!isDue(newTrades, turn)) continue;
        this.#addTrade(events, turn % TRADES_AN_ARCHIVED === 0);
        if (turn % TRADES_A_FAILURE === 0) failures.push(this.#failure());
      }
      yield this.#close(events, failures, ledgerSeconds);
    }
  }

  /** A ledger without anything of the exchange. */
  empty(): LedgerDelta {
    return this.#close([], [], 1);
  }

  #close(events: NewEvent[], failures: NewFailure[], seconds: number): LedgerDelta {
    this.#time += seconds;
    const delta = nextLedger(this.#last, this.#time, events, failures);
    this.#last = delta;
    return delta;
  }

  #newOrder(): { readonly event: NewEvent; readonly id: OrderId; readonly maker: Address } {
    const random = this.#random;
    this.#orders += 1;
    const maker = random(this.#makers);
    const market = MARKETS_A_MAKER * maker + random(MARKETS_A_MAKER);
    const { base, quote } = this.#market(market);
    const [selling, buying] = random(2) === 0 ? [base, quote] : [quote, base];
    const id = orderId((BigInt(this.#orders) << 90n) + BigInt(random(1e9)));
    const price = UNIT + BigInt(random(1e9)) * 10n ** 8n;
    const amount = BigInt(1e9 + random(1e9));
    const owner = account(maker);
    const event = { kind: "new", id, owner, selling, buying, price, amount, expires: 0 } as const;
    return { event, id, maker: owner };
  }

  #addTrade(events: NewEvent[], archived: boolean): void {
    const random = this.#random;
    const taker = account(random(this.#makers));
    const amounts = { sold: BigInt(1 + random(1e9)), bought: BigInt(1 + random(1e9)), left: 0n };
    const trade = { kind: "trade", taker, crossfill: false, ...amounts } as const;
    if (archived) {
      const { event, id, maker } = this.#newOrder();
      if (event.kind !== "new") return;
      const { selling: boughtAsset, buying: soldAsset } = event;
      events.push(event, { ...trade, order: id, maker, soldAsset, boughtAsset });
      return;
    }
    const { base, quote } = this.#market(random(HISTORY_MARKETS));
    const [soldAsset, boughtAsset] = random(2) === 0 ? [base, quote] : [quote, base];
    const maker = account(random(this.#makers));
    // An order from before the first ledger.
    events.push({ ...trade, order: orderId(BigInt(random(1e9))), maker, soldAsset, boughtAsset });
  }

  #failure(): NewFailure {
    const random = this.#random;
    return {
      fn: historyFunction(random),
      caller: account(random(this.#makers)),
      orders: [orderId(BigInt(random(1e9)))],
      result: "INVOKE_HOST_FUNCTION_TRAPPED",
      caught: false,
      reason: "contract",
      error: { contract: HISTORY_EXCHANGE, code: 709, name: "NotFilled" },
    };
  }

  #market(number: number): Pair {
    const pair = this.markets[number % this.markets.length];
    if (pair === undefined) throw new RangeError("no markets");
    return pair;
  }
}

/** A contract function that calls fail in. */
export function historyFunction(random: Random): string {
  return FAILED_FUNCTIONS[random(FAILED_FUNCTIONS.length)] ?? "trade";
}

/** How many ledgers `grow` makes. */
export function historyLedgers({ orders, trades }: Omit<HistoryPlan, "ledgerSeconds">): number {
  return Math.max(LEDGERS_MIN, Math.ceil((orders + trades) / EVENTS_A_LEDGER));
}

/** Every pair of the tokens, those of the first tokens first. */
function allPairs(): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let other = 1; other < TOKENS; other += 1) {
    for (let one = 0; one < other; one += 1) pairs.push(canonicalPair(token(one), token(other)));
  }
  return pairs;
}

export type HistorySize = {
  readonly orders: number;
  readonly trades: number;
  /** Seconds; for ever without it. */
  readonly keepOrderEvents?: number;
};

/**
 * Makes a store as an engine leaves it, of live orders with their makers' backing and a month of trades; resolves to
 * two assets to ask a quote for.
 */
export async function fillHistory(
  path: string,
  { orders, trades, keepOrderEvents = Number.POSITIVE_INFINITY }: HistorySize,
): Promise<readonly string[]> {
  const backing = new PlentyBacking(HISTORY_EXCHANGE);
  const now = Math.floor(Date.now() / 1000);
  const ledgers = new HistoryLedgers(1000, now - DAYS * DAY);
  const exchange = await Exchange.open({
    path,
    networkPassphrase: HISTORY_PASSPHRASE,
    contract: HISTORY_EXCHANGE,
    clock: () => ledgers.time * 1000,
    log: silentLog,
    backing: backing.records,
    store: { keepOrderEvents },
  });
  // The last ledgers, those that load backing, come close to now.
  const ledgerSeconds = Math.floor((DAYS * DAY) / (historyLedgers({ orders, trades }) + 1));
  for (const delta of ledgers.grow({ orders, trades, ledgerSeconds })) await exchange.apply(delta);
  await backing.load(
    () => ledgers.ledger,
    () => exchange.apply(ledgers.empty()),
  );
  const [order] = exchange.state.history.liveOrders({ assets: [] }, { limit: 1 });
  assert.ok(order !== undefined && exchange.state.markets.orderCount === orders);
  assert.equal(exchange.state.history.trades({}, { limit: 1 }).length, 1);
  await exchange.close();
  return [order.buying, order.selling];
}
