// A client that keeps a copy of what it subscribed to, from snapshots and updates alone, as the API
// document tells clients to, and can say what REST has to answer for it to be right.
import assert from "node:assert/strict";
import WebSocket from "ws";
import { type Position, positionParts } from "../../src/model/position.ts";
import { checkClientMessage, checkPushMessage } from "../support/api/conformance.ts";
import type { ApiClient, Row } from "./api-client.ts";

/** A subscription's parameters, without `op` and `id`. */
export type Subscription = { readonly channel: ChannelName } & Record<string, unknown>;

type ChannelName =
  | "contract"
  | "ticker"
  | "account"
  | "trades"
  | "depth"
  | "candles"
  | "quote"
  | "book";

type Mirrored = {
  readonly subscription: Subscription;
  /** What the channel's messages made of it; undefined until the snapshot. */
  state: Row;
};

export class PushMirror {
  readonly topics = new Map<string, Mirrored>();
  /** Error messages of the server that the API does not announce for what was asked. */
  readonly errors: Row[] = [];
  #socket: WebSocket;
  readonly #url: string;
  /** Subscriptions whose snapshot is awaited, by request id. */
  readonly #asked = new Map<number, Subscription>();
  /** Of these, the ones that were unsubscribed since. */
  readonly #givenUp = new Set<number>();
  #nextId = 0;
  /** The last ledger that the connection was told is complete. */
  #complete = 0;

  private constructor(url: string) {
    this.#url = url;
    this.#socket = this.#connect();
  }

  static async open(port: number): Promise<PushMirror> {
    const mirror = new PushMirror(`ws://127.0.0.1:${port}/ws`);
    await mirror.#opened();
    return mirror;
  }

  subscribe(subscription: Subscription): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#asked.set(id, subscription);
    this.#send({ op: "subscribe", id, ...subscription });
  }

  unsubscribe(subscription: Subscription): void {
    for (const [id, asked] of this.#asked) if (asked === subscription) this.#givenUp.add(id);
    this.#send({ op: "unsubscribe", ...subscription });
  }

  /** Everything is forgotten, as subscriptions die with their connection. */
  async reconnect(): Promise<void> {
    this.close();
    this.topics.clear();
    this.#asked.clear();
    this.#givenUp.clear();
    this.#complete = 0;
    this.#socket = this.#connect();
    await this.#opened();
  }

  get waiting(): number {
    return this.#asked.size;
  }

  close(): void {
    this.#socket.removeAllListeners("message").removeAllListeners("close");
    this.#socket.close();
  }

  /** Throws an AssertionError where the copy of a topic is not what REST answers. */
  async compare(api: ApiClient): Promise<void> {
    for (const [topic, { subscription, state }] of this.topics) {
      const { held, rest } = await COMPARED[subscription.channel](state, subscription, api);
      assert.deepEqual(held, rest, topic);
    }
  }

  #connect(): WebSocket {
    const socket = new WebSocket(this.#url);
    socket.on("message", (data) => this.#take(JSON.parse(String(data))));
    socket.on("close", (code) => this.errors.push({ closed: code }));
    return socket;
  }

  async #opened(): Promise<void> {
    await new Promise((resolve, reject) => {
      this.#socket.once("open", resolve).once("error", reject);
    });
  }

  #send(message: object): void {
    checkClientMessage(message);
    this.#socket.send(JSON.stringify(message));
  }

  #take(message: Row): void {
    checkPushMessage(message);
    const { type, id, topic } = message;
    if (type === "error") {
      const isGivenUp = message.error === UNSUBSCRIBED && this.#givenUp.has(id);
      this.#asked.delete(id);
      // A busy machine has no time for a quote.
      if (!isGivenUp && !/^Trading error\./.test(message.error)) this.errors.push(message);
      return;
    }
    if (type === "unsubscribed") {
      this.topics.delete(topic);
      return;
    }
    if (type === "ledger") this.#complete = message.ledger;
    const fill = type === "trade" ? message.trade.id : (message.fill?.trade ?? message.swap?.id);
    if (fill !== undefined) {
      const { ledger } = positionParts(BigInt(fill) as Position);
      assert.ok(ledger > this.#complete, `a fill of ${ledger} after the end of ${this.#complete}`);
    }
    const asked = this.#asked.get(id);
    if (asked !== undefined) {
      // A book comes in parts, all with the request's id.
      if (type !== "book" || message.part === message.parts) this.#asked.delete(id);
      if (message.part > 1) {
        takeRows(this.topics.get(topic)?.state ?? assert.fail("a part without the first"), message);
        return;
      }
      this.topics.set(topic, { subscription: asked, state: SNAPSHOTS[asked.channel](message) });
      return;
    }
    const mirrored = this.topics.get(topic);
    // Updates of an account can come before its snapshot, which replaces them.
    if (mirrored === undefined) return;
    UPDATES[mirrored.subscription.channel](mirrored.state, message);
  }
}

/** What a subscribe is answered whose snapshot still waited for something. */
const UNSUBSCRIBED = "Unsubscribed before the snapshot";

const SNAPSHOTS: Record<ChannelName, (message: Row) => Row> = {
  quote: ({ data }) => ({ data }),
  contract: ({ data, ledger }) => ({ data, ledger }),
  ticker: ({ data }) => ({ data }),
  depth: ({ data }) => ({ data }),
  trades: ({ trades }) => ({ trades: new Map(trades.map((row: Row) => [row.id, row])) }),
  candles: ({ candles }) => ({ candles: new Map(candles.map((row: Row) => [row[0], row])) }),
  book: (message) => {
    const state = {
      market: message.market,
      ledger: message.ledger,
      asks: new Map(),
      bids: new Map(),
    };
    takeRows(state, message);
    return state;
  },
  account: ({ orders, backing }) => ({
    orders: new Map(orders.map((order: Row) => [order.id, order])),
    backing: new Map(Object.entries(backing)),
  }),
};

function takeRows({ asks, bids }: Row, message: Row): void {
  for (const row of message.asks) asks.set(row.id, row);
  for (const row of message.bids) bids.set(row.id, row);
}

function takeChange({ asks, bids }: Row, change: Row): void {
  const side = change.side === "ask" ? asks : bids;
  if (change.cause === "backing") {
    const { backed: _backed, budget: _budget, ...row } = side.get(change.id);
    const { backed, budget } = change;
    side.set(change.id, { ...row, ...(backed && { backed }), ...(budget && { budget }) });
  } else if (change.order === undefined) side.delete(change.id);
  else side.set(change.id, change.order);
}

const UPDATES: Record<ChannelName, (state: Row, message: Row) => void> = {
  quote: (state, { data }) => {
    // Null while the service cannot quote.
    if (data !== null && state.data !== null)
      assert.ok(data.ledger > state.data.ledger, "an older quote, or a second one of a ledger");
    state.data = data;
  },
  contract: (state, { type, ledger, data }) => {
    if (type === "ledger") state.ledger = ledger;
    else state.data = data;
  },
  ticker: (state, { data }) => {
    state.data = data;
  },
  depth: (state, { data }) => {
    state.data = data;
  },
  trades: (state, { trade }) => {
    state.trades.set(trade.id, trade);
  },
  candles: (state, { candle }) => {
    state.candles.set(candle[0], candle);
  },
  book: (state, { ledger, previous, changes }) => {
    assert.ok(previous <= state.ledger, `changes after ${previous} of a book at ${state.ledger}`);
    state.ledger = ledger;
    for (const change of changes) takeChange(state, change);
  },
  account: (state, message) => {
    if (message.type === "order") takeOrder(state, message);
    if (message.type === "backing") takeBacking(state, message);
  },
};

function takeOrder({ orders }: Row, { order }: Row): void {
  if (order.status === "ACTIVE") orders.set(order.id, order);
  else orders.delete(order.id);
}

function takeBacking({ orders, backing: records }: Row, { asset, backing, backed }: Row): void {
  if (backing === null || backing.updated === undefined) records.delete(asset);
  else records.set(asset, backing);
  for (const [id, share] of Object.entries(backed)) {
    const order = orders.get(id);
    assert.ok(order !== undefined, "backing names an order that the account does not have");
    if (backing === null) continue;
    const { balance, allowance, liveUntil, authorized, updated, pending } = backing;
    const embedded = { balance, allowance, liveUntil, authorized, updated, pending };
    order.backed = share;
    order.backing = JSON.parse(JSON.stringify(embedded));
  }
}

type Compared = { readonly held: unknown; readonly rest: unknown };

const COMPARED: Record<
  ChannelName,
  (state: Row, subscription: Subscription, api: ApiClient) => Promise<Compared>
> = {
  contract: async ({ data, ledger }, _subscription, api) => ({
    held: { data, ledger },
    rest: { data: await api.get("/contract"), ledger: (await api.get("/")).ledger },
  }),
  ticker: async ({ data }, _subscription, api) => ({
    held: data.ticker,
    rest: (await api.get("/ticker/24h")).ticker,
  }),
  quote: async ({ data }, { channel: _, ...parameters }, api) => {
    const query = new URLSearchParams(parameters as Record<string, string>);
    return {
      held: { ...data, id: "", ledger: 0 },
      rest: { ...(await api.get(`/quote?${query}`)), id: "", ledger: 0 },
    };
  },
  depth: async ({ data }, { market, depth = 20, limit = 100 }, api) => ({
    held: { ...data, ledger: 0, timestamp: 0 },
    rest: {
      ...(await api.get(`/depth?market=${market}&depth=${depth}&limit=${limit}`)),
      ledger: 0,
      timestamp: 0,
    },
  }),
  trades: async ({ trades }, { market }, api) => {
    const pair =
      typeof market === "string" ? market.split("/").map((asset) => `&pair=${asset}`) : [];
    const rows = await api.get(`/trades?limit=500${pair.join("")}`);
    // Swaps are in snapshots only, and the copy begins somewhere: compare the fills of both.
    const fills = [...trades.values()].filter(({ type }: Row) => type === "trade");
    const rest = rows.filter(({ type }: Row) => type === "trade").slice(0, fills.length);
    return { held: byId(fills).slice(0, rest.length), rest };
  },
  candles: async ({ candles }, { market, resolution }, api) => {
    const held = [...candles.values()].sort((a: Row, b: Row) => a[0] - b[0]);
    const to = Math.floor(Date.now() / 1000) + 300;
    const path = `/candles?market=${market}&resolution=${resolution}&from=${to - 3600}&to=${to}`;
    return { held, rest: await api.get(`${path}&order=asc`) };
  },
  book: async ({ market, asks, bids }, _subscription, api) => {
    const rest = await api.get(`/book?market=${market}&limit=5000`);
    const sorted = (rows: Row[]) => rows.sort((a, b) => compareText(a.cursor, b.cursor));
    return {
      held: { asks: sorted([...asks.values()]), bids: sorted([...bids.values()]) },
      rest: { asks: sorted(rest.asks), bids: sorted(rest.bids) },
    };
  },
  account: async ({ orders, backing }, { address }, api) => {
    const rest = await api.get(`/account/${address}`);
    return {
      held: {
        orders: [...orders.values()].sort((a: Row, b: Row) => compareText(a.cursor, b.cursor)),
        backing: Object.fromEntries(backing),
      },
      rest: { orders: rest.orders, backing: rest.backing },
    };
  },
};

function byId(rows: Row[]): Row[] {
  return rows.sort((a, b) => compareText(b.id, a.id));
}

/** Of decimal texts without leading zeros. */
function compareText(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
