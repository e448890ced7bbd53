// The book as a ladder: asks above, bids below, the spread between. Its rows are made once for the
// height there is and only their texts change, so nothing moves while the book does.
import { el, setClass, setText, setTitle } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { fractionDigits, grouped, shortened, withFraction } from "../number/decimal.ts";
import type { DepthFeed } from "./depth-feed.ts";
import { type SummedLevel, spreadPercent } from "./depth-sums.ts";

/** Pixels, as in the stylesheet. */
const ROW_HEIGHT = 20;
const SPREAD_HEIGHT = 30;
const ROWS_MIN = 4;
const ROWS_MAX = 60;
const QUANTITY_DIGITS = 7;

type LadderRow = {
  readonly element: HTMLElement;
  readonly price: HTMLElement;
  readonly quantity: HTMLElement;
  readonly total: HTMLElement;
};

export class DepthLadder {
  readonly element: HTMLElement;
  readonly #asks = el("div", { class: "ladder-side asks", role: "rowgroup" });
  readonly #bids = el("div", { class: "ladder-side bids", role: "rowgroup" });
  readonly #mid = el("span", { class: "ladder-mid num" });
  readonly #spread = el("span", { class: "ladder-spread num" });
  readonly #feed: DepthFeed;
  readonly #observer: ResizeObserver;
  readonly #stop: () => void;
  #askRows: readonly LadderRow[] = [];
  #bidRows: readonly LadderRow[] = [];
  readonly #render = (): void => this.#draw();

  constructor(feed: DepthFeed, names: { readonly base: HTMLElement; readonly quote: HTMLElement }) {
    this.#feed = feed;
    this.element = el(
      "div",
      { class: "ladder", role: "table", "aria-label": "Order book by price" },
      el(
        "div",
        { class: "ladder-row ladder-head", role: "row" },
        el("div", { role: "columnheader" }, "Price ", names.quote),
        el("div", { role: "columnheader" }, "Quantity ", names.base),
        el("div", { role: "columnheader" }, "Total"),
      ),
      this.#asks,
      el(
        "div",
        { class: "ladder-middle", role: "row" },
        el("div", { role: "cell" }, this.#mid),
        el("div", { role: "cell" }, this.#spread),
      ),
      this.#bids,
    );
    this.#observer = new ResizeObserver(([entry]) => this.#fit(entry?.contentRect.height ?? 0));
    this.#observer.observe(this.element);
    this.#stop = feed.changes.listen(() => draw(this.#render));
  }

  close(): void {
    this.#stop();
    this.#observer.disconnect();
    cancelDraw(this.#render);
  }

  #fit(height: number): void {
    const room = Math.floor((height - ROW_HEIGHT - SPREAD_HEIGHT) / 2 / ROW_HEIGHT);
    const count = Math.max(ROWS_MIN, Math.min(ROWS_MAX, room));
    if (count === this.#askRows.length) return;
    this.#askRows = Array.from({ length: count }, ladderRow);
    this.#bidRows = Array.from({ length: count }, ladderRow);
    // The best ask lies next to the spread: the rows of that side are filled from below.
    this.#asks.replaceChildren(...this.#askRows.map(({ element }) => element).reverse());
    this.#bids.replaceChildren(...this.#bidRows.map(({ element }) => element));
    draw(this.#render);
  }

  #draw(): void {
    const { book } = this.#feed;
    if (book === undefined) return;
    const { bids, asks, body } = book;
    const shown = this.#askRows.length;
    const digits = fractionDigits(body.step ?? "");
    const most = Math.max(
      asks[Math.min(shown, asks.length) - 1]?.totalNumber ?? 0,
      bids[Math.min(shown, bids.length) - 1]?.totalNumber ?? 0,
    );
    fillRows(this.#askRows, asks, { digits, most });
    fillRows(this.#bidRows, bids, { digits, most });
    const { bestBid, bestAsk } = body;
    const both = bestBid !== null && bestAsk !== null;
    const percent = both ? spreadPercent(bestBid, bestAsk) : 0;
    setText(
      this.#mid,
      both ? `${grouped(bestBid)} – ${grouped(bestAsk)}` : (bestBid ?? bestAsk ?? "–"),
    );
    const kind = percent < 0 ? "crossed by" : "spread";
    setText(this.#spread, both ? `${kind} ${Math.abs(percent).toFixed(3)}%` : "one side only");
    if (bestBid === null && bestAsk === null) setText(this.#spread, "no orders");
  }
}

function ladderRow(): LadderRow {
  const price = el("div", { class: "ladder-price num", role: "cell" });
  const quantity = el("div", { class: "num", role: "cell" });
  const total = el("div", { class: "num muted", role: "cell" });
  const element = el("div", { class: "ladder-row", role: "row" }, price, quantity, total);
  return { element, price, quantity, total };
}

function fillRows(
  rows: readonly LadderRow[],
  levels: readonly SummedLevel[],
  { digits, most }: { readonly digits: number; readonly most: number },
): void {
  rows.forEach(({ element, price, quantity, total }, at) => {
    const level = levels[at];
    setClass(element, "is-empty", level === undefined);
    if (level === undefined) {
      for (const cell of [price, quantity, total]) setText(cell, " ");
      element.style.setProperty("--fill", "0");
      return;
    }
    setText(price, grouped(withFraction(level.price, digits)));
    setText(quantity, grouped(shortened(level.quantity, QUANTITY_DIGITS)));
    setTitle(quantity, level.quantity);
    setText(total, grouped(shortened(level.total, QUANTITY_DIGITS)));
    setTitle(total, level.total);
    element.style.setProperty("--fill", most === 0 ? "0" : (level.totalNumber / most).toFixed(3));
  });
}
