// The interface of a view, and the sources that all views share.
import type { Connection } from "./api/connection.ts";
import type { Assets } from "./state/assets.ts";
import type { Ledgers } from "./state/ledgers.ts";
import type { Tickers } from "./state/tickers.ts";
import type { Wallet } from "./trading/wallet.ts";

export type Sources = {
  readonly connection: Connection;
  readonly ledgers: Ledgers;
  readonly tickers: Tickers;
  readonly assets: Assets;
  readonly wallet: Wallet;
};

export type View = {
  readonly element: HTMLElement;
  /** Of the document, while it is shown; a live one is asked for again as tickers and names come. */
  readonly title: string | (() => string);
  /** Ends its subscriptions, timers and observers. */
  readonly close: () => void;
};

/** Collects how to end things, for `close`. */
export class Endings {
  readonly #endings: (() => void)[] = [];

  add(end: () => void): void {
    this.#endings.push(end);
  }

  every(intervalMs: number, run: () => void): void {
    const timer = setInterval(run, intervalMs);
    this.add(() => clearInterval(timer));
  }

  end(): void {
    for (const end of this.#endings.splice(0)) end();
  }
}
