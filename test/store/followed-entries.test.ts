// What followed ledger entries say to quotes, from ledgers and the store to a quote.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BackingRecords } from "../../src/book/backing/backing-records.ts";
import {
  accountKey,
  allowanceKey,
  eventsSettingKey,
  instanceKey,
  trustlineKey,
} from "../../src/book/backing/ledger-keys.ts";
import { Exchange } from "../../src/book/exchange.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import { capacityFor } from "../../src/book/shared-layout.ts";
import type { Address } from "../../src/model/address.ts";
import type { TrackedEntry } from "../../src/model/ledger-delta.ts";
import { orderId } from "../../src/model/order.ts";
import type { QuoteAnswer } from "../../src/router-worker/quote.ts";
import { quoteAnswer } from "../../src/router-worker/quote-text.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { account, token } from "../support/addresses.ts";
import { exchangeIdentity, exchangeOptions } from "../support/exchange.ts";
import { type NewEvent, nextLedger } from "../support/ledgers.ts";

const [XLM, USD, EUR] = [token(1), token(2), token(3)];
const ISSUER = account(100);
const MAKERS = 20;
const NOW = 1_700_000_000;
const RESERVES = 2n * 5_000_000n;
const CODES: ReadonlyMap<Address, string> = new Map([
  [USD, "USDC"],
  [EUR, "EURC"],
]);

const maker = (number: number) => account(200 + number);

function accountOf(balance: bigint): TrackedEntry {
  const none = { sellingLiabilities: 0n, buyingLiabilities: 0n };
  return {
    ...{ kind: "account", balance, ...none, subentries: 0, sponsoring: 0, sponsored: 0, flags: 0 },
  };
}

function newOrder(number: number, owner: Address, selling: Address, buying: Address): NewEvent {
  const terms = { price: 10n ** 18n, amount: 100n, expires: 0 };
  return { kind: "new", id: orderId(BigInt(number)), owner, selling, buying, ...terms };
}

/** Makers who each sell 100 USD for EUR, and one who buys USD for XLM. */
function ledgerEntries(): Map<string, TrackedEntry> {
  const entries = new Map<string, TrackedEntry>([
    [instanceKey(XLM), { kind: "token", asset: "native" }],
  ]);
  for (const [asset, code] of CODES) {
    entries.set(instanceKey(asset), { kind: "token", asset: `${code}:${ISSUER}` });
    for (let number = 0; number <= MAKERS; number += 1) {
      const owner = maker(number);
      entries.set(trustlineKey(owner, { code, issuer: ISSUER }), {
        ...{ kind: "trustline", balance: 1000n, limit: 10_000n, flags: 1 },
        ...{ sellingLiabilities: 0n, buyingLiabilities: 0n },
      });
      const grant = { kind: "allowance", amount: 1000n, liveUntil: 1_000_000 } as const;
      entries.set(allowanceKey(asset, owner, exchangeIdentity.contract), grant);
    }
  }
  entries.set(accountKey(ISSUER), accountOf(RESERVES));
  entries.set(accountKey(maker(MAKERS)), accountOf(RESERVES));
  return entries;
}

/** An engine without threads and sockets: ledgers go in, quotes come out. */
class Node {
  readonly entries = ledgerEntries();
  readonly #options = exchangeOptions({ now: NOW * 1000 });
  #wanted: { readonly request: number; readonly key: string }[] = [];
  #open: { readonly exchange: Exchange; readonly book: SharedBook } | undefined;
  #backing: BackingRecords | undefined;

  async start(): Promise<void> {
    await this.close();
    this.#wanted = [];
    const { contract } = exchangeIdentity;
    const capacity = capacityFor(100);
    const book = new SharedBook({ contract, untracked: "nothing", capacity, touchOrders: 0 });
    this.#backing = new BackingRecords({
      contract,
      watchedAccountsMax: 1,
      track: (request) => {
        if (request.kind !== "track" || !request.load) return;
        this.#wanted.push(...request.keys.map((key) => ({ request: request.request, key })));
      },
    });
    const exchange = await Exchange.open({ ...this.#options, book, backing: this.#backing });
    this.#open = { exchange, book };
  }

  async close(): Promise<void> {
    await this.#open?.exchange.close();
    this.#open = undefined;
  }

  /** One ledger, in which these entries change. */
  async ledger(events: readonly NewEvent[], changed: Readonly<Record<string, TrackedEntry>> = {}) {
    const exchange = this.#exchange;
    const entries = Object.entries(changed).map(([key, entry]) => ({ key, entry }));
    for (const { key, entry } of entries) this.entries.set(key, entry);
    const last = exchange.state.cursor ?? { ledger: 1, hash: "" };
    await exchange.apply({ ...nextLedger(last, NOW, events), entries });
  }

  /** The reader answers what was asked for, until nothing more is. */
  async answer(): Promise<void> {
    while (this.#wanted.length > 0) {
      for (const { request, key } of this.#wanted.splice(0)) {
        const entry = this.entries.get(key);
        const entries = [entry === undefined ? { key } : { key, entry }];
        const ledger = this.#exchange.state.ledger ?? 0;
        this.#backing?.entriesLoaded({ request, ledger, entries });
      }
      await this.ledger([]);
    }
  }

  /** Orders of the best route that buys so much USD; undefined where there is none. */
  orders(paid: Address, amount: bigint): number | undefined {
    const answer = this.#quote(paid, amount);
    if (answer.status === "unfeasible") return undefined;
    assert(answer.status === "success");
    const [best] = JSON.parse(answer.paths) as { path: { orders: string[] }[] }[];
    return best?.path[0]?.orders.length;
  }

  #quote(sellingAsset: Address, amount: bigint): QuoteAnswer {
    const view = this.#open?.book.live;
    assert(view !== undefined);
    const request = { sellingAsset, buyingAsset: USD, amount, direct: true };
    const context = { now: NOW, skipWindow: 600, shouldStop: () => false };
    const search = new QuoteSearch(view);
    return quoteAnswer(search.quote(view, { ...request, direction: "strict_receive" }, context));
  }

  get #exchange(): Exchange {
    assert(this.#open !== undefined);
    return this.#open.exchange;
  }
}

async function started(t: TestContext, orders: readonly NewEvent[]): Promise<Node> {
  const node = new Node();
  await node.start();
  t.after(() => node.close());
  await node.ledger(orders);
  await node.answer();
  return node;
}

test("the network's setting says which routes fit in a call, and a restart keeps it", async (t) => {
  const makers = Array.from({ length: MAKERS }, (_, number) => number);
  const node = await started(
    t,
    makers.map((number) => newOrder(number + 1, maker(number), USD, EUR)),
  );
  const fit = () => [900n, 1000n, 1900n, 2000n].map((amount) => node.orders(EUR, amount));
  const [usual, wide, narrow] = [
    [9, 10, 19, undefined],
    [9, 10, 19, 20],
    [9, undefined, undefined, undefined],
  ];
  assert.deepEqual(fit(), usual, "a network that says nothing has the usual limit");
  const upgrade = (bytesMax: number) =>
    node.ledger([], { [eventsSettingKey()]: { kind: "eventsSetting", bytesMax } });
  // Between two issued assets with codes of four letters: an approval of 264 bytes, the forwarding
  // with 244, what the call returns with 56, and 820 a maker.
  const whole = 264 + 244 + 56 + MAKERS * 820;
  await upgrade(whole);
  assert.deepEqual(fit(), wide);
  await node.start();
  assert.deepEqual(fit(), wide, "after a restart");
  await upgrade(whole - 1);
  assert.deepEqual(fit(), usual);
  await upgrade(8192);
  assert.deepEqual(fit(), narrow);
  await node.start();
  await node.ledger([]);
  assert.deepEqual(fit(), narrow, "and in the ledger after it");
  await upgrade(2 ** 32 - 1);
  assert.deepEqual(fit(), wide);
  await upgrade(0);
  assert.deepEqual(fit(), [undefined, undefined, undefined, undefined]);
});

test("the setting is read where the network has it from the first", async (t) => {
  const node = new Node();
  node.entries.set(eventsSettingKey(), { kind: "eventsSetting", bytesMax: 8192 });
  await node.start();
  t.after(() => node.close());
  await node.ledger(
    Array.from({ length: 10 }, (_, number) => newOrder(number + 1, maker(number), USD, EUR)),
  );
  await node.answer();
  assert.deepEqual([node.orders(EUR, 900n), node.orders(EUR, 1000n)], [9, undefined]);
});

test("an order that receives XLM is in a quote while its account has its reserve", async (t) => {
  const owner = maker(MAKERS);
  const node = await started(t, [newOrder(1, owner, USD, XLM)]);
  assert.equal(node.orders(XLM, 100n), 1);
  await node.ledger([], { [accountKey(owner)]: accountOf(RESERVES - 1n) });
  assert.equal(node.orders(XLM, 100n), undefined);
  await node.start();
  assert.equal(node.orders(XLM, 100n), undefined, "after a restart");
  await node.ledger([], { [accountKey(owner)]: accountOf(RESERVES) });
  assert.equal(node.orders(XLM, 100n), 1);
});
