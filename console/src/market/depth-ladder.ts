// The book as a ladder: asks above, bids below, the spread between. Its rows are made once for the
// height there is and only their texts change, so nothing moves while the book does.
import { el, setClass, setText, setTitle } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { compact, countedZeros, fractionDigits, grouped, withFraction } from "../number/decimal.ts";
import type { DepthFeed } from "./depth-feed.ts";
import { type SummedLevel, spreadPercent } from "./depth-sums.ts";

/** Pixels, as in the stylesheet. */
const ROW_HEIGHT = 20;
const SPREAD_HEIGHT = 44;
const ROWS_MIN = 4;
const ROWS_MAX = 60;
const QUANTITY_DIGITS = 7;
/** As the API prints prices. */
const PRICE_DIGITS = 8;
/** Digits before the point of a price that still has its place for the digits after it. */
const WHOLE_MAX = 7;

/** A level that a person chose: everything up to it. */
export type ChosenLevel = {
  readonly side: "ask" | "bid";
  readonly price: string;
  /** Of base, up to and with the level. */
  readonly total: string;
};

type LadderRow = {
  readonly element: HTMLElement;
  readonly price: HTMLAnchorElement;
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
  readonly #link: (level: ChosenLevel) => string;
  readonly #observer: ResizeObserver;
  readonly #stop: () => void;
  #askRows: readonly LadderRow[] = [];
  #bidRows: readonly LadderRow[] = [];
  readonly #render = (): void => this.#draw();

  /** `link`: where a level leads that is clicked. */
  constructor(
    feed: DepthFeed,
    names: { readonly base: HTMLElement; readonly quote: HTMLElement },
    link: (level: ChosenLevel) => string,
  ) {
    this.#feed = feed;
    this.#link = link;
    this.element = el(
      "div",
      {
        class: "ladder",
        role: "table",
        "aria-label": "Order book by price",
        onkeydown: (event) => this.#move(event as KeyboardEvent),
      },
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

  /** One stop of the keyboard for each side, at its best price; arrows move along the levels. */
  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const links = [...this.element.querySelectorAll<HTMLElement>("a[href]")];
    const next = links[links.indexOf(document.activeElement as HTMLElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
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
    const link = this.#link;
    fillRows(this.#askRows, asks, {
      digits,
      most,
      href: (level) => link({ side: "ask", ...level }),
    });
    fillRows(this.#bidRows, bids, {
      digits,
      most,
      href: (level) => link({ side: "bid", ...level }),
    });
    const { bestBid, bestAsk } = body;
    const both = bestBid !== null && bestAsk !== null;
    const percent = both ? spreadPercent(bestBid, bestAsk) : 0;
    setText(
      this.#mid,
      both
        ? `${compact(bestBid, PRICE_DIGITS)} – ${compact(bestAsk, PRICE_DIGITS)}`
        : compact(bestBid ?? bestAsk ?? "–", PRICE_DIGITS),
    );
    setTitle(this.#mid, `best bid ${bestBid ?? "none"}, best ask ${bestAsk ?? "none"}`);
    const kind = percent < 0 ? "crossed by" : "spread";
    setText(this.#spread, both ? `${kind} ${Math.abs(percent).toFixed(3)}%` : "one side only");
    if (bestBid === null && bestAsk === null) setText(this.#spread, "no orders");
  }
}

function ladderRow(): LadderRow {
  const price = el("a", { class: "ladder-price num" });
  const priceCell = el("div", { role: "cell" }, price);
  const quantity = el("div", { class: "num", role: "cell" });
  const total = el("div", { class: "num muted", role: "cell" });
  const element = el("div", { class: "ladder-row", role: "row" }, priceCell, quantity, total);
  return { element, price, quantity, total };
}

function fillRows(
  rows: readonly LadderRow[],
  levels: readonly SummedLevel[],
  {
    digits,
    most,
    href,
  }: {
    readonly digits: number;
    readonly most: number;
    readonly href: (level: SummedLevel) => string;
  },
): void {
  rows.forEach(({ element, price, quantity, total }, at) => {
    const level = levels[at];
    setClass(element, "is-empty", level === undefined);
    if (level === undefined) {
      for (const cell of [price, quantity, total]) setText(cell, " ");
      element.style.setProperty("--fill", "0");
      price.removeAttribute("href");
      return;
    }
    setText(price, levelPrice(level.price, digits));
    setTitle(price, `${level.price}: quote everything up to here`);
    price.tabIndex = at === 0 ? 0 : -1;
    const target = href(level);
    if (price.getAttribute("href") !== target) price.setAttribute("href", target);
    setText(quantity, compact(level.quantity, QUANTITY_DIGITS));
    setTitle(quantity, level.quantity);
    setText(total, compact(level.total, QUANTITY_DIGITS));
    setTitle(total, level.total);
    element.style.setProperty("--fill", most === 0 ? "0" : (level.totalNumber / most).toFixed(3));
  });
}

/** The digits of the step, so that points lie below each other, as far as the column is wide. */
function levelPrice(price: string, digits: number): string {
  const whole = price.split(".")[0] ?? "";
  if (whole.length > WHOLE_MAX) return compact(price, PRICE_DIGITS);
  return countedZeros(grouped(withFraction(price, digits)));
}
