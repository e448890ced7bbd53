// The markets in rows, filtered by a text and sorted by a column. Rows keep their places while numbers
// change: they do not move under the pointer.
import type { TickerEntry } from "../../../src/api/types.ts";
import { el, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { Notice } from "../page/panel.ts";
import { VirtualList } from "../page/virtual-list.ts";
import type { Sources } from "../view.ts";
import { matchesMarket, type Sort, type SortColumn, sortMarkets } from "./market-order.ts";
import { marketRow } from "./market-row.ts";
import type { SparklinePrices } from "./sparkline-prices.ts";

/** Pixels of a row, as in the stylesheet. */
const ROW_HEIGHT = 52;

const COLUMNS: readonly {
  readonly column?: SortColumn;
  readonly title: string;
  readonly name: string;
}[] = [
  { column: "market", title: "Market", name: "pair" },
  { column: "price", title: "Last price", name: "price num" },
  { column: "change", title: "24 h", name: "change num" },
  { title: "Low – high", name: "range num wide" },
  { title: "Base volume", name: "volume num wide" },
  { column: "volume", title: "Quote volume", name: "quote-volume num medium" },
  { column: "trades", title: "Trades", name: "trades num medium" },
  { title: "Last 24 hours", name: "spark" },
];

type Head = { readonly column: SortColumn | undefined; readonly cell: HTMLElement };

export class MarketTable {
  readonly toolbar: HTMLElement;
  readonly frame: HTMLElement;
  readonly #sources: Sources;
  readonly #filter: HTMLInputElement;
  readonly #count = el("span", { class: "muted", role: "status" });
  /** Shown while the list keeps an order that its numbers no longer have. */
  readonly #kept: HTMLElement;
  readonly #heads: readonly Head[];
  readonly #list: VirtualList<TickerEntry>;
  readonly #notice = new Notice();
  #sort: Sort = { column: "trades", descending: true };
  /** Place of each market by its symbol. */
  #places = new Map<string, number>();
  readonly #render = (): void => this.#draw();

  constructor(sources: Sources, prices: SparklinePrices) {
    this.#sources = sources;
    this.#filter = el("input", {
      type: "search",
      placeholder: "Find a market",
      "aria-label": "Find a market",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.redraw(),
    });
    this.#kept = el(
      "span",
      { class: "kept-order", hidden: true },
      el("span", { class: "muted" }, "Rows keep their places while you use the list."),
      el("button", { type: "button", class: "button", onclick: () => this.sort() }, "Sort again"),
    );
    this.#heads = COLUMNS.map(({ column, title, name }) => {
      const cell = el("div", { class: name, role: "columnheader" });
      if (column === undefined) cell.append(title);
      else
        cell.append(el("button", { type: "button", onclick: () => this.#sortBy(column) }, title));
      return { column, cell };
    });
    this.#list = new VirtualList<TickerEntry>(
      {
        rowHeight: () => ROW_HEIGHT,
        key: ({ symbol }) => symbol,
        row: () => marketRow(sources.assets, prices),
        label: "Markets",
        seen: (symbols) => prices.want(symbols),
      },
      el(
        "div",
        { class: "market-row market-head", role: "row", "aria-rowindex": "1" },
        ...this.#heads.map(({ cell }) => cell),
      ),
    );
    this.toolbar = el("div", { class: "toolbar" }, this.#filter, this.#count, this.#kept);
    this.frame = el("div", { class: "list-frame" }, this.#list.element, this.#notice.element);
  }

  /** After tickers, names or prices came. */
  redraw(): void {
    draw(this.#render);
  }

  /** Puts the rows in the order that their numbers have now. */
  sort(): void {
    setHidden(this.#kept, true);
    this.#places = new Map(this.#sorted().map(({ symbol }, place) => [symbol, place]));
    const direction = this.#sort.descending ? "descending" : "ascending";
    for (const { column, cell } of this.#heads) {
      if (column === undefined) continue;
      cell.setAttribute("aria-sort", column === this.#sort.column ? direction : "none");
    }
    this.redraw();
  }

  /** Leaves the rows of a list in use where they are, and says so. */
  sortUnused(): void {
    const { element, atTop } = this.#list;
    const busy = element.matches(":hover, :focus-within") || !atTop;
    if (busy) setHidden(this.#kept, !this.#isOutOfOrder());
    else this.sort();
  }

  close(): void {
    cancelDraw(this.#render);
    this.#list.close();
  }

  #sortBy(column: SortColumn): void {
    const isSame = this.#sort.column === column;
    const descending = isSame ? !this.#sort.descending : column !== "market";
    this.#sort = { column, descending };
    this.sort();
  }

  #sorted(): readonly TickerEntry[] {
    const { tickers, assets } = this.#sources;
    return sortMarkets(tickers.list ?? [], this.#sort, assets);
  }

  #isOutOfOrder(): boolean {
    return this.#sorted().some(({ symbol }, place) => this.#places.get(symbol) !== place);
  }

  #draw(): void {
    const { tickers, assets } = this.#sources;
    const all = tickers.list;
    if (all === undefined) {
      this.#notice.show({ kind: "loading" });
      return;
    }
    if (this.#places.size === 0 && all.length > 0) {
      this.sort();
      return;
    }
    const text = this.#filter.value.trim();
    const shown =
      text === "" ? [...all] : all.filter((entry) => matchesMarket(entry, text, assets));
    const placeOf = ({ symbol }: TickerEntry) => this.#places.get(symbol) ?? this.#places.size;
    shown.sort((a, b) => placeOf(a) - placeOf(b));
    this.#list.show(shown);
    setText(this.#count, text === "" ? "" : `${shown.length} of ${all.length}`);
    if (all.length === 0) {
      const hint = "They appear when the engine has read the first orders or market openings.";
      this.#notice.show({ kind: "empty", title: "No markets yet", hint });
    } else if (shown.length === 0) {
      const hint = "Names, issuers and token addresses are searched.";
      this.#notice.show({ kind: "empty", title: "No market matches", hint });
    } else this.#notice.show({ kind: "none" });
  }
}
