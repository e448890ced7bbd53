// Clients that keep what they were told while everything goes wrong, for the reckoning at the end.
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";

const POLL_MS = 150;
const RECONNECT_MS = 200;
const TIMEOUT_MS = 30_000;
const PAGE = 50;
const PAGES = 4;

type Row = { readonly type: string; readonly id: string };

/** Faults: what must never be, one line each. */
export type Watched = {
  readonly faults: readonly string[];
  /** Ids of fills, oldest first, of every push connection: each without a hole. */
  readonly pushed: readonly (readonly string[])[];
  /** Ids of fills and swaps, newest first, of pages read one after the other: each without a hole. */
  readonly paged: readonly (readonly string[])[];
};

export class Watchers {
  readonly #url: string;
  readonly #faults = new Set<string>();
  readonly #pushed: string[][] = [];
  readonly #paged: string[][] = [];
  readonly #stopping = new AbortController();
  readonly #work: Promise<unknown>;
  /** The newest ledger that any answer named. */
  #ledger = 0;
  #socket: WebSocket | undefined;

  constructor(url: string) {
    this.#url = url;
    this.#work = Promise.all([this.#poll(), this.#page(), this.#listen()]);
  }

  async stop(): Promise<Watched> {
    this.#stopping.abort();
    this.#socket?.close();
    await this.#work;
    return { faults: [...this.#faults], pushed: this.#pushed, paged: this.#paged };
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** What was seen is durable: no answer may be of an older ledger than one before it. */
  async #poll(): Promise<void> {
    let market: string | undefined;
    while (!this.#stopped) {
      await delay(POLL_MS);
      await this.#askLedger("/");
      market ??= await this.#anyMarket();
      if (market === undefined) continue;
      const [base, quote] = market.split("/");
      await this.#askLedger(`/quote?sellingAsset=${base}&buyingAsset=${quote}&amount=10000000`);
      await this.#askLedger(`/depth?market=${market}`);
    }
  }

  async #askLedger(path: string): Promise<void> {
    // What is shown while the answer is on its way says nothing of it.
    const shown = this.#ledger;
    this.#sawLedger(path, (await this.#get<{ readonly ledger?: number }>(path))?.ledger, shown);
  }

  #sawLedger(path: string, ledger: number | undefined, shown: number): void {
    if (ledger === undefined) return;
    if (ledger < shown) this.#faults.add(`${path}: ledger ${ledger} after ${shown} was shown`);
    this.#ledger = Math.max(this.#ledger, ledger);
  }

  async #anyMarket(): Promise<string | undefined> {
    const path = "/markets?limit=1";
    const rows =
      await this.#get<{ readonly baseAsset: string; readonly quoteAsset: string }[]>(path);
    const [market] = rows ?? [];
    return market && `${market.baseAsset}/${market.quoteAsset}`;
  }

  /** Pages of trades, read while new ones come. */
  async #page(): Promise<void> {
    while (!this.#stopped) {
      const ids: string[] = [];
      for (let page = 0; page < PAGES; page += 1) {
        const path = `/trades?limit=${PAGE}&cursor=${ids.at(-1) ?? ""}`;
        const rows = await this.#get<readonly Row[]>(path);
        if (rows === undefined) break;
        ids.push(...rows.map(({ id }) => id));
      }
      if (ids.length > 0) this.#paged.push(ids);
      await delay(POLL_MS * 4);
    }
  }

  /** One push connection after the other, each as long as it lives. */
  async #listen(): Promise<void> {
    while (!this.#stopped) {
      await this.#connection();
      await delay(RECONNECT_MS);
    }
  }

  async #connection(): Promise<void> {
    const socket = new WebSocket(`${this.#url.replace(/^http/, "ws")}/ws`, {
      handshakeTimeout: TIMEOUT_MS,
    });
    this.#socket = socket;
    const ids: string[] = [];
    let pushed = 0;
    socket.on("error", () => undefined);
    socket.on("open", () => {
      socket.send('{"op":"subscribe","channel":"trades"}');
      socket.send('{"op":"subscribe","channel":"contract"}');
    });
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.type === "error") this.#faults.add(`push: ${message.error}`);
      if (message.type === "ledger") {
        // Of its own connection: another one may have been told before.
        this.#sawLedger("push", message.ledger, pushed);
        pushed = message.ledger;
      }
      if (message.type === "trades") {
        const fills = message.trades.filter(({ type }: Row) => type === "trade");
        ids.push(...fills.map(({ id }: Row) => id).reverse());
      }
      if (message.type === "trade") ids.push(message.trade.id);
    });
    await new Promise((resolve) => socket.once("close", resolve));
    if (ids.length > 0) this.#pushed.push(ids);
  }

  /** Undefined where there was no answer, or none that holds anything. */
  async #get<Body>(path: string): Promise<Body | undefined> {
    try {
      const response = await fetch(this.#url + path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (response.status >= 500) this.#faults.add(`${path}: ${response.status} ${text}`);
      return response.status === 200 ? (JSON.parse(text) as Body) : undefined;
    } catch (error) {
      // Killed engines do not answer; one that runs has to.
      if (error instanceof Error && error.name === "TimeoutError") {
        this.#faults.add(`${path}: no answer in ${TIMEOUT_MS} ms`);
      }
      return undefined;
    }
  }
}
