// What keeping order events costs: bytes a row on disk with all of its index entries, pages of each filter from late
// and early cursors, and the pace at which ledgers are applied with order events and without, on the same ledgers.
// EVENTS=<rows> sets the length.
import { join } from "node:path";
import { allowanceKey } from "../src/book/backing/ledger-keys.ts";
import { Exchange } from "../src/book/exchange.ts";
import { type Address, canonicalPair } from "../src/model/address.ts";
import type { EntryChange, LedgerDelta } from "../src/model/ledger-delta.ts";
import type { OrderId } from "../src/model/order.ts";
import type { OrderEventFilter } from "../src/model/order-event.ts";
import type { Position } from "../src/model/position.ts";
import { storeFolder } from "../src/store/data-folder.ts";
import { openPastStore } from "../src/store/past-store.ts";
import { openRoot, openTable } from "../src/store/tables.ts";
import { account, token } from "../test/support/addresses.ts";
import { silentLog } from "../test/support/exchange.ts";
import { type Follows, ledgerHash, type NewEvent, nextLedger } from "../test/support/ledgers.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { orderIdOf } from "./book-data.ts";
import { inFolder } from "./folder.ts";
import { PlentyBacking } from "./plenty.ts";
import { quantile } from "./quantile.ts";

const EVENTS = Number(process.env.EVENTS ?? 1_000_000);
const CONTRACT = token(10_000);
const MAKERS = 500;
const TOKENS = 20;
/** Orders of a maker before the first ledger that is measured. */
const ORDERS_A_MAKER = 8;
const EVENTS_A_LEDGER = 200;
/** As a catch-up takes them together. */
const LEDGERS_AT_ONCE = 8;
const LEDGER_SECONDS = 5;
const START = 1_700_000_000;
const UNIT = 10n ** 18n;
const FOREVER = Number.POSITIVE_INFINITY;
const QUESTIONS = 2000;
const MARKETS = 100;
const PAGE = 20;
const ROWS_AT_ONCE = 1000;
const SEED = 21;

export const bench: Bench = ({ tiny }) =>
  inFolder(async (folder) => {
    const events = tiny ? 4000 : EVENTS;
    const ledgers = Math.ceil(events / (1.25 * EVENTS_A_LEDGER));
    const without = await fill(join(folder, "without"), ledgers, 0);
    const kept = await fill(join(folder, "kept"), ledgers, FOREVER);
    const figures: Figure[] = [
      ...(await sizes(join(folder, "kept"))),
      figure("ledgers applied, order events off", without.rate, "ledgers/s"),
      figure("ledgers applied, order events kept", kept.rate, "ledgers/s"),
      figure("CPU of a ledger, order events off", without.cpuMs, "ms"),
      figure("CPU of a ledger, order events kept", kept.cpuMs, "ms"),
      figure(
        "pace with order events to that without",
        kept.rate / without.rate,
        "ratio",
        "0.9 or more",
      ),
    ];
    return [...figures, ...(await pages(join(folder, "kept"), tiny ? 20 : QUESTIONS))];
  });

/** `rate`: ledgers a second, of full ledgers alone. */
async function fill(dataDir: string, count: number, keepOrderEvents: number) {
  const backing = new PlentyBacking(CONTRACT);
  const exchange = await Exchange.open({
    path: storeFolder(dataDir),
    networkPassphrase: "a network for benches",
    contract: CONTRACT,
    clock: () => START * 1000,
    log: silentLog,
    backing: backing.records,
    store: { keepOrderEvents },
  });
  const market = new Traffic();
  for (const delta of market.opening()) await exchange.apply(delta);
  await backing.load(
    () => market.ledger,
    () => exchange.apply(market.empty()),
  );
  let ms = 0;
  const cpu = process.cpuUsage();
  for (let at = 0; at < count; at += LEDGERS_AT_ONCE) {
    const deltas = Array.from({ length: LEDGERS_AT_ONCE }, () => market.next());
    const began = performance.now();
    await Promise.all(deltas.map((delta) => exchange.apply(delta)));
    ms += performance.now() - began;
  }
  const { user, system } = process.cpuUsage(cpu);
  await exchange.close();
  return { rate: (1000 * count) / ms, cpuMs: (user + system) / 1000 / count };
}

/** Of the pages that lmdb takes for the two tables. */
async function sizes(dataDir: string): Promise<readonly Figure[]> {
  const root = openRoot(storeFolder(dataDir), { readOnly: true });
  const bytes = (name: string) => {
    const stats: Partial<Record<string, unknown>> = openTable(root, name).getStats();
    const number = (of: string) => Number(stats[of] ?? 0);
    const count = number("treeBranchPageCount") + number("treeLeafPageCount");
    return (count + number("overflowPages")) * number("pageSize");
  };
  const [rows, index] = [bytes("orderEvents"), bytes("orderEventIndex")];
  await root.close();
  const { orders, budgets } = await countRows(dataDir);
  const count = orders + budgets;
  return [
    figure("order events", orders, "rows"),
    figure("budget changes", budgets, "rows"),
    figure("bytes a row, without its index entries", rows / count, "bytes"),
    figure("bytes a row, its index entries", index / count, "bytes"),
    figure("bytes a row, all in", (rows + index) / count, "bytes", "below 80"),
  ];
}

async function countRows(dataDir: string) {
  const store = await openPastStore(dataDir);
  const count = { orders: 0, budgets: 0 };
  let after = 0n as Position;
  for (;;) {
    const rows = store.orderEvents.from(after, ROWS_AT_ONCE);
    for (const { type } of rows) count[type === "order" ? "orders" : "budgets"] += 1;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await store.close();
  return count;
}

/** First pages of each filter, and pages from anywhere in the history. */
async function pages(dataDir: string, questions: number): Promise<readonly Figure[]> {
  const store = await openPastStore(dataDir);
  const random = randomFrom(SEED);
  const filters: Readonly<Record<string, () => OrderEventFilter>> = {
    order: () => ({ order: orderIdOf(1 + random(MAKERS * ORDERS_A_MAKER)) }),
    owner: () => ({ owner: account(random(MAKERS)) }),
    market: () => ({ market: marketOf(random(MARKETS)) }),
  };
  const first = store.orderEvents.from(0n as Position, 1)[0]?.id ?? 0n;
  const last = BigInt(store.ledger + 1) << 48n;
  const figures: Figure[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const times = (before: () => Position) => {
      const ms: number[] = [];
      for (let at = 0; at < questions; at += 1) {
        const [of, page] = [filter(), { before: before(), limit: PAGE }];
        const began = performance.now();
        store.orderEvents.list(of, page);
        ms.push(performance.now() - began);
      }
      return quantile(ms, 0.5);
    };
    const anywhere = () => (first + ((last - first) * BigInt(random(1000))) / 1000n) as Position;
    const newest = times(() => last as Position);
    figures.push(
      figure(`first page by ${name}, median`, newest, "ms"),
      figure(`page from anywhere by ${name}, median`, times(anywhere), "ms"),
    );
  }
  await store.close();
  return figures;
}

function marketOf(number: number): readonly [Address, Address] {
  const one = number % TOKENS;
  const { base, quote } = canonicalPair(token(one), token((one + 1 + (number % 5)) % TOKENS));
  return [base, quote];
}

type Resting = {
  readonly id: OrderId;
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  price: bigint;
  amount: bigint;
};

/** Ledgers in which makers move their orders, takers fill them, and what fills pay changes budgets. */
class Traffic {
  readonly #random: Random = randomFrom(SEED);
  readonly #resting: Resting[] = [];
  #last: Follows = { ledger: 999, hash: ledgerHash(999) };
  #time = START;
  #orders = 0;

  get ledger(): number {
    return this.#last.ledger;
  }

  *opening(): Generator<LedgerDelta> {
    for (let maker = 0; maker < MAKERS; maker += 1) {
      yield this.#close(Array.from({ length: ORDERS_A_MAKER }, () => this.#create(maker)));
    }
  }

  empty(): LedgerDelta {
    return this.#close([]);
  }

  next(): LedgerDelta {
    const random = this.#random;
    const budgets = new Map<string, EntryChange>();
    const events = Array.from({ length: EVENTS_A_LEDGER }, (): NewEvent => {
      const at = random(this.#resting.length);
      const order = this.#resting[at];
      const dice = random(100);
      if (order === undefined || dice >= 95) return this.#create(random(MAKERS));
      const { id, owner, selling } = order;
      if (dice < 65) return this.#update(order);
      if (dice < 68) {
        this.#remove(at);
        return { kind: "mod", id, price: order.price, amount: 0n, expires: 0 };
      }
      const left = dice < 70 ? 0n : (order.amount * BigInt(1 + random(9))) / 10n;
      const bought = order.amount - left;
      if (left === 0n) this.#remove(at);
      order.amount = left;
      const key = allowanceKey(selling, owner, CONTRACT);
      const amount = 10n ** 11n + BigInt(random(1e9));
      budgets.set(key, { key, entry: { kind: "allowance", amount, liveUntil: 10_000_000 } });
      return {
        ...{ kind: "trade", order: id, taker: account(MAKERS + random(50)), maker: owner },
        ...{ soldAsset: order.buying, boughtAsset: selling, crossfill: false },
        ...{ sold: (bought * order.price) / UNIT + 1n, bought, left },
      };
    });
    return { ...this.#close(events), entries: [...budgets.values()] };
  }

  #create(maker: number): NewEvent {
    this.#orders += 1;
    const random = this.#random;
    const [base, quote] = marketOf(4 * maker + random(4));
    const [selling, buying] = random(2) === 0 ? [base, quote] : [quote, base];
    const id = orderIdOf(this.#orders);
    const order = { id, owner: account(maker), selling, buying, ...this.#terms() };
    this.#resting.push({ ...order });
    return { kind: "new", ...order, expires: 0 };
  }

  #update(order: Resting): NewEvent {
    Object.assign(order, this.#terms());
    return { kind: "mod", id: order.id, price: order.price, amount: order.amount, expires: 0 };
  }

  /** A bid's price is the reciprocal of a decimal: it has all of its digits. */
  #terms() {
    const random = this.#random;
    const price = UNIT + BigInt(random(1e9)) * BigInt(1 + random(1e9));
    return { price, amount: BigInt(1e9 + random(1e9)) };
  }

  #remove(at: number): void {
    const last = this.#resting.pop();
    if (last !== undefined && at < this.#resting.length) this.#resting[at] = last;
  }

  #close(events: readonly NewEvent[]): LedgerDelta {
    this.#time += LEDGER_SECONDS;
    const delta = nextLedger(this.#last, this.#time, events);
    this.#last = delta;
    return delta;
  }
}
