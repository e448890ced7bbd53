// The latest fills of a market as they come, from the channel `trades`.

import type { Swap, Trade } from "../../../src/api/types.ts";
import { priceText } from "../../../src/model/display.ts";
import type { Connection } from "../api/connection.ts";
import { el, setHidden, setText, setTitle } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { amountText, shortAmount } from "../number/amount.ts";
import { compact } from "../number/decimal.ts";
import { Notice } from "../page/panel.ts";
import { clockText, timeText, utcSeconds, zone } from "../page/time.ts";
import { accountLink } from "../route.ts";
import { shortAddress } from "../state/assets.ts";
import type { ChartTrade } from "./candle-chart.ts";

/** Rows kept; more than any screen shows. */
const ROWS = 60;
const DIGITS = 6;
/** As the API prints prices. */
const PRICE_DIGITS = 8;

export type Market = { readonly base: string; readonly quote: string };

type TapeRow = {
  readonly element: HTMLElement;
  readonly time: HTMLElement;
  readonly price: HTMLElement;
  readonly amount: HTMLElement;
  readonly taker: HTMLAnchorElement;
};

export class TradeTape {
  readonly element: HTMLElement;
  readonly #rows = Array.from({ length: ROWS }, tapeRow);
  readonly #notice = new Notice();
  readonly #market: Market;
  readonly #end: () => void;
  readonly #changed: (trades: readonly ChartTrade[]) => void;
  /** Newest first. */
  #trades: Trade[] = [];
  readonly #ids = new Set<string>();
  readonly #render = (): void => this.#draw();

  /** `changed`: with the latest trades, newest first, in the market's orientation. */
  constructor(
    connection: Connection,
    market: Market,
    changed: (trades: readonly ChartTrade[]) => void,
  ) {
    this.#market = market;
    this.#changed = changed;
    this.element = el(
      "div",
      { class: "tape-frame" },
      el(
        "div",
        { class: "tape", role: "table", "aria-label": "Latest trades", tabindex: "0" },
        el(
          "div",
          { class: "tape-row tape-head", role: "row" },
          el("div", { role: "columnheader" }, "Price"),
          el("div", { role: "columnheader" }, "Amount"),
          el("div", { role: "columnheader" }, "Taker"),
          el("div", { role: "columnheader" }, zone.local ? "Local" : "UTC"),
        ),
        el("div", { role: "rowgroup" }, ...this.#rows.map(({ element }) => element)),
      ),
      this.#notice.element,
    );
    this.#end = connection.subscribe(
      { channel: "trades", market: `${market.base}/${market.quote}` },
      {
        message: (message) => {
          if (message.type === "trades") this.#replace(message.trades);
          else this.#add(message.trade);
          this.#changed(this.#trades.map((trade) => this.#seen(trade)));
          draw(this.#render);
        },
        refused: (error) => this.#notice.show({ kind: "error", message: error }),
      },
    );
  }

  close(): void {
    this.#end();
    cancelDraw(this.#render);
  }

  #replace(records: readonly (Trade | Swap)[]): void {
    this.#ids.clear();
    this.#trades = [];
    for (const record of [...records].reverse()) if (record.type === "trade") this.#add(record);
  }

  /** The taker order's own fill mirrors the makers' fills: it would count twice. */
  #add(trade: Trade): void {
    if (trade.crossfill || this.#ids.has(trade.id)) return;
    this.#ids.add(trade.id);
    this.#trades.unshift(trade);
    const last = this.#trades.length > ROWS ? this.#trades.pop() : undefined;
    if (last !== undefined) this.#ids.delete(last.id);
  }

  /** From the taker's side. */
  #seen({ boughtAsset, bought, sold, timestamp }: Trade): ChartTrade & { baseUnits: bigint } {
    const buys = boughtAsset === this.#market.base;
    const baseUnits = BigInt(buys ? bought : sold);
    const quoteUnits = BigInt(buys ? sold : bought);
    const price = baseUnits === 0n ? "0" : priceText(quoteUnits, baseUnits);
    return { time: utcSeconds(timestamp), price, side: buys ? "buy" : "sell", baseUnits };
  }

  #draw(): void {
    if (this.#trades.length > 0) this.#notice.show({ kind: "none" });
    else {
      const hint = "Fills show up here in the ledger in which they happen.";
      this.#notice.show({ kind: "empty", title: "No trades yet", hint });
    }
    this.#rows.forEach((row, at) => {
      const trade = this.#trades[at];
      setHidden(row.element, trade === undefined);
      if (trade !== undefined) this.#fill(row, trade);
    });
  }

  #fill({ element, time, price, amount, taker }: TapeRow, trade: Trade): void {
    const { side, price: exact, baseUnits } = this.#seen(trade);
    const buys = side === "buy";
    setText(price, baseUnits === 0n ? "–" : compact(exact, PRICE_DIGITS));
    setText(amount, shortAmount(baseUnits, DIGITS));
    setTitle(amount, amountText(baseUnits));
    setText(time, clockText(trade.timestamp));
    setTitle(time, `${timeText(trade.timestamp)} ${zone.name}`);
    setText(taker, shortAddress(trade.taker));
    if (taker.title !== trade.taker) {
      taker.title = trade.taker;
      taker.href = accountLink(trade.taker);
    }
    const tone = buys ? "up" : "down";
    // The stylesheet adds an arrow: colour alone does not say it to everyone.
    if (element.dataset.tone !== tone) element.dataset.tone = tone;
    setTitle(price, `${exact}: the taker ${buys ? "bought" : "sold"}`);
  }
}

function tapeRow(): TapeRow {
  const price = el("div", { class: "tape-price num", role: "cell" });
  const amount = el("div", { class: "num", role: "cell" });
  const taker = el("a", {});
  const time = el("div", { class: "num muted", role: "cell" });
  const element = el(
    "div",
    { class: "tape-row", role: "row", hidden: true },
    price,
    amount,
    el("div", { class: "tape-taker", role: "cell" }, taker),
    time,
  );
  return { element, price, amount, taker, time };
}
