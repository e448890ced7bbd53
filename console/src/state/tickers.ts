// The 24-hour tickers of every market, from the channel `ticker`.
import type { TickerEntry } from "../../../src/api/types.ts";
import type { Connection } from "../api/connection.ts";
import { Changes } from "../changes.ts";

export class Tickers {
  readonly changes = new Changes();
  /** As the API sorts them; undefined before the first answer. */
  list: readonly TickerEntry[] | undefined;
  /** By canonical `base/quote`. */
  readonly bySymbol = new Map<string, TickerEntry>();

  constructor(connection: Connection) {
    connection.subscribe(
      { channel: "ticker" },
      {
        message: ({ data: { ticker } }) => {
          this.list = ticker;
          this.bySymbol.clear();
          for (const entry of ticker) this.bySymbol.set(entry.symbol, entry);
          this.changes.tell();
        },
      },
    );
  }

  /** The ticker of a market in either orientation, and whether it is the one asked for. */
  of(base: string, quote: string): { entry: TickerEntry; reversed: boolean } | undefined {
    const entry = this.bySymbol.get(`${base}/${quote}`);
    if (entry !== undefined) return { entry, reversed: false };
    const reverse = this.bySymbol.get(`${quote}/${base}`);
    return reverse === undefined ? undefined : { entry: reverse, reversed: true };
  }
}

export function pairOf(symbol: string): { readonly base: string; readonly quote: string } {
  const [base = "", quote = ""] = symbol.split("/");
  return { base, quote };
}
