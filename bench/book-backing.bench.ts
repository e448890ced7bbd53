// What a ledger of 1,000 changes costs the backing records, what a restart costs, and what a record
// costs in memory; beside records that are all computed again from plain Maps at each ledger.

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BackingRecords } from "../src/book/backing/backing-records.ts";
import { allowanceKey, instanceKey, trustlineKey } from "../src/book/backing/ledger-keys.ts";
import { recordValues } from "../src/book/backing/record.ts";
import type { BackingStep } from "../src/book/step.ts";
import type { Address } from "../src/model/address.ts";
import type { TrackingRequest } from "../src/model/entry-tracking.ts";
import type { EntryChange, LedgerDelta, TrackedEntry } from "../src/model/ledger-delta.ts";
import type { Order } from "../src/model/order.ts";
import { atOnce } from "../src/model/slice-turns.ts";
import { account, token } from "../test/support/addresses.ts";
import { ledgerHash, nextLedger } from "../test/support/ledgers.ts";
import { plainOrder } from "../test/support/plain-order.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";
import { backedOrders } from "../test/support/start-orders.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { quantile } from "./quantile.ts";

type Scale = { readonly makers: number; readonly assets: number; readonly orders: number };
const LARGE: Scale = { makers: 2000, assets: 50, orders: 100_000 };
const TINY: Scale = { makers: 20, assets: 5, orders: 400 };
const FIRST = 1000;
/** A ledger of 1,000 changes: of entries, and of orders. */
const ENTRY_CHANGES = 700;
const ORDER_CHANGES = 300;

const contract = token(10_000);
const issuer = account(10_000);

export const bench: Bench = async ({ tiny }) => {
  const world = new World(tiny ? TINY : LARGE);
  const before = heapUsed();
  let started = performance.now();
  const records = world.open([]);
  const cold = performance.now() - started;
  started = performance.now();
  world.load(records);
  const loaded = performance.now() - started;
  const memory = heapUsed() - before;

  const times: number[] = [];
  const plainTimes: number[] = [];
  for (let count = 0; count < (tiny ? 5 : 300); count += 1) {
    const step = world.ledger();
    started = performance.now();
    world.apply(records, step);
    times.push(performance.now() - started);
    if (count % 10 > 0) continue;
    started = performance.now();
    const plain = world.plainBudgets();
    plainTimes.push(performance.now() - started);
    for (const [owner, asset, budget] of plain) {
      assert.equal(records.backing(owner, asset)?.budget, budget);
    }
  }
  started = performance.now();
  const again = world.open([...world.rows].map(([key, value]) => ({ key, value })));
  const warm = performance.now() - started;
  for (const [owner, asset, budget] of world.plainBudgets()) {
    assert.equal(again.backing(owner, asset)?.budget, budget, "a restart knows every record");
  }
  return figuresOf({ times, plainTimes, cold, loaded, warm, memory, count: world.pairs.length });
};

type Measured = {
  readonly times: readonly number[];
  readonly plainTimes: readonly number[];
  readonly cold: number;
  readonly loaded: number;
  readonly warm: number;
  /** Bytes. */
  readonly memory: number;
  readonly count: number;
};

function figuresOf({ times, plainTimes, cold, loaded, warm, memory, count }: Measured): Figure[] {
  const changes = ENTRY_CHANGES + ORDER_CHANGES;
  const median = quantile(times, 0.5);
  return [
    figure(`ledger of ${changes} changes: median`, median, "ms"),
    figure(`ledger of ${changes} changes: p99`, quantile(times, 0.99), "ms"),
    figure("all computed again from Maps: median", quantile(plainTimes, 0.5), "ms"),
    figure("Maps against the records", quantile(plainTimes, 0.5) / median, "times as long"),
    figure("records", count, "records"),
    figure("memory, orders' shares included", memory / count, "bytes/record"),
    figure("start without rows", cold, "ms"),
    figure("loading all entries", loaded, "ms"),
    figure("start with all rows", warm, "ms"),
  ];
}

class World {
  readonly rows = new Map<string, Uint8Array>();
  readonly pairs: readonly (readonly [Address, Address])[];
  readonly #entries = new Map<string, TrackedEntry>();
  readonly #keys: readonly { readonly holding: string; readonly allowance: string }[];
  readonly #orders: Order[];
  #asked: Extract<TrackingRequest, { kind: "track" }>[] = [];
  readonly #random: Random = randomFrom(1);
  #last: LedgerDelta;

  constructor({ makers, assets, orders }: Scale) {
    this.#last = nextLedger({ ledger: FIRST - 1, hash: ledgerHash(FIRST - 1) }, 5 * FIRST, []);
    const tokens = Array.from({ length: assets }, (_, at) => token(at));
    const owners = Array.from({ length: makers }, (_, at) => account(at));
    for (const [at, one] of tokens.entries()) {
      this.#entries.set(instanceKey(one), { kind: "token", asset: `T${at}:${issuer}` });
    }
    this.#orders = Array.from({ length: orders }, (_, at) => {
      const side = at % assets;
      const owner = pick(owners, Math.floor(at / 20));
      const pair = { selling: pick(tokens, side), buying: pick(tokens, side + 1) };
      return plainOrder(at, at + 1, { owner, ...pair, amount: 1000n });
    });
    const pairs = new Map<string, readonly [Address, Address]>();
    for (const { owner, selling, buying } of this.#orders) {
      for (const asset of [selling, buying]) pairs.set(`${owner}${asset}`, [owner, asset]);
    }
    this.pairs = [...pairs.values()];
    this.#keys = this.pairs.map(([owner, asset]) => ({
      holding: trustlineKey(owner, { code: `T${tokens.indexOf(asset)}`, issuer }),
      allowance: allowanceKey(asset, owner, contract),
    }));
    for (const { holding, allowance } of this.#keys) {
      this.#entries.set(holding, this.#trustline());
      this.#entries.set(allowance, { kind: "allowance", amount: 1n << 62n, liveUntil: 9_999_999 });
    }
  }

  open(rows: readonly { readonly key: string; readonly value: Uint8Array }[]): BackingRecords {
    const records = new BackingRecords({
      contract,
      watchedAccountsMax: 0,
      track: (request) => {
        if (request.kind === "track" && request.load) this.#asked.push(request);
      },
    });
    records.load({
      ledger: this.#last.ledger,
      closeTime: this.#last.closeTime,
      markets: [],
      ...backedOrders(() => this.#orders),
      rows: (prefix) => rows.filter(({ key }) => key.startsWith(prefix)),
      skipped: () => undefined,
    });
    return records;
  }

  /** The reader's answers, 200 keys each, in as many steps as they lead to. */
  load(records: BackingRecords): void {
    for (let asked = this.#takeAsked(); asked.length > 0; asked = this.#takeAsked()) {
      for (const { request, keys } of asked) {
        for (let at = 0; at < keys.length; at += 200) {
          const entries = keys.slice(at, at + 200).map((key): EntryChange => {
            const entry = this.#entries.get(key);
            return entry === undefined ? { key } : { key, entry };
          });
          records.entriesLoaded({ request, ledger: this.#last.ledger, entries });
        }
      }
      this.apply(records, { deltas: [], orders: [], skips: [] });
    }
  }

  apply(records: BackingRecords, step: BackingStep): void {
    const prepared = atOnce(records.preparing(step));
    prepared.apply();
    for (const { key, value } of prepared.rows) if (value !== undefined) this.rows.set(key, value);
  }

  ledger(): BackingStep {
    this.#last = nextLedger(this.#last, 5 * this.#last.ledger + 5, []);
    const entries = Array.from({ length: ENTRY_CHANGES }, (): EntryChange => {
      const { holding: key } = pick(this.#keys, this.#next());
      const entry = this.#trustline();
      this.#entries.set(key, entry);
      return { key, entry };
    });
    const orders = new Map<number, { readonly before: Order; readonly after: Order }>();
    while (orders.size < Math.min(ORDER_CHANGES, this.#orders.length / 2)) {
      const at = this.#next() % this.#orders.length;
      const before = pick(this.#orders, at);
      if (orders.has(at)) continue;
      const after = { ...before, amount: BigInt(1 + (this.#next() % 10_000)) };
      this.#orders[at] = after;
      orders.set(at, { before, after });
    }
    return { deltas: [{ ...this.#last, entries }], orders: [...orders.values()], skips: [] };
  }

  /** The plain way: every record from its entries, at every ledger. */
  plainBudgets(): readonly (readonly [Address, Address, bigint])[] {
    const at = { ledger: this.#last.ledger, baseReserve: 5_000_000n };
    return this.pairs.map(([owner, asset], index) => {
      const keys = pick(this.#keys, index);
      const token = { kind: "issued", code: "T", issuer } as const;
      const holding = this.#entries.get(keys.holding);
      const allowance = this.#entries.get(keys.allowance);
      return [owner, asset, recordValues(owner, token, { holding, allowance }, at).budget];
    });
  }

  #takeAsked() {
    const asked = this.#asked;
    this.#asked = [];
    return asked;
  }

  #trustline(): TrackedEntry {
    const balance = BigInt(this.#next());
    const liabilities = { sellingLiabilities: 0n, buyingLiabilities: 0n };
    return { kind: "trustline", balance, limit: 1n << 60n, ...liabilities, flags: 1 };
  }

  #next(): number {
    return this.#random(1 << 28);
  }
}

function pick<T>(from: readonly T[], at: number): T {
  const picked = from[at % from.length];
  assert(picked !== undefined);
  return picked;
}

/** After a collection: without garbage. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  assert(typeof collect === "function");
  collect();
  return process.memoryUsage().heapUsed;
}
