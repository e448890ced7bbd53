// Every market with its last 24 hours.
import type { Status, TickerEntry } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { el, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { floatText } from "../number/decimal.ts";
import { Figure, Notice } from "../page/panel.ts";
import { VirtualList } from "../page/virtual-list.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { matchesMarket, type Sort, type SortColumn, sortMarkets } from "./market-order.ts";
import { marketRow } from "./market-row.ts";
import { SparklinePrices } from "./sparkline-prices.ts";

/** Pixels of a row, as in the stylesheet. */
const ROW_HEIGHT = 52;
/** The list is put in order again so often, and only where nobody is in the middle of it. */
const REORDER_MS = 30_000;
const STATUS_MS = 10_000;

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

export function marketsView(sources: Sources): View {
  const { tickers, assets, ledgers } = sources;
  const endings = new Endings();
  const prices = new SparklinePrices();
  let sort: Sort = { column: "trades", descending: true };
  /** Place of each market, kept while numbers change: rows do not move under the pointer. */
  let places = new Map<string, number>();
  const filter = el("input", {
    type: "search",
    placeholder: "Find a market",
    "aria-label": "Find a market",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => draw(update),
  });
  const count = el("span", { class: "muted", role: "status" });
  /** Shown while the list keeps an order that its numbers no longer have. */
  const kept = el(
    "span",
    { class: "kept-order", hidden: true },
    el("span", { class: "muted" }, "Rows keep their places while you use the list."),
    el("button", { type: "button", class: "button", onclick: () => reorder() }, "Sort again"),
  );
  const heads = COLUMNS.map(({ column, title, name }) => {
    const cell = el("div", { class: name, role: "columnheader" });
    if (column === undefined) cell.append(title);
    else cell.append(el("button", { type: "button", onclick: () => sortBy(column) }, title));
    return { column, cell };
  });
  const list = new VirtualList<TickerEntry>(
    {
      rowHeight: () => ROW_HEIGHT,
      key: ({ symbol }) => symbol,
      row: () => marketRow(assets, prices),
      label: "Markets",
      seen: (symbols) => prices.want(symbols),
    },
    el(
      "div",
      { class: "market-row market-head", role: "row", "aria-rowindex": "1" },
      ...heads.map(({ cell }) => cell),
    ),
  );
  const notice = new Notice();
  const figures = {
    markets: new Figure("Markets"),
    trades: new Figure("Trades, 24 h"),
    state: new Figure("Contract"),
    // Last, since it comes only where the engine knows prices: nothing moves for it.
    value: new Figure("Volume, 24 h"),
  };

  figures.value.element.hidden = true;

  function sortBy(column: SortColumn): void {
    const descending = sort.column === column ? !sort.descending : column !== "market";
    sort = { column, descending };
    reorder();
  }

  /** Leaves the rows of a list in use where they are, and says so. */
  function reorderUnused(): void {
    const busy = list.element.matches(":hover, :focus-within") || !list.atTop;
    if (busy) setHidden(kept, !isOutOfOrder());
    else reorder();
  }

  function isOutOfOrder(): boolean {
    const sorted = sortMarkets(tickers.list ?? [], sort, assets);
    return sorted.some(({ symbol }, place) => places.get(symbol) !== place);
  }

  function reorder(): void {
    setHidden(kept, true);
    const sorted = sortMarkets(tickers.list ?? [], sort, assets);
    places = new Map(sorted.map(({ symbol }, place) => [symbol, place]));
    for (const { column, cell } of heads) {
      if (column === undefined) continue;
      const direction = sort.descending ? "descending" : "ascending";
      cell.setAttribute("aria-sort", column === sort.column ? direction : "none");
    }
    draw(update);
  }

  function update(): void {
    const all = tickers.list;
    figures.state.set(ledgers.contract?.frozen ? "Frozen" : ledgers.contract ? "Open" : "–");
    if (all === undefined) {
      notice.show({ kind: "loading" });
      return;
    }
    if (places.size === 0 && all.length > 0) {
      reorder();
      return;
    }
    figures.markets.set(all.length.toLocaleString("en-US"));
    const text = filter.value.trim();
    const shown =
      text === "" ? [...all] : all.filter((entry) => matchesMarket(entry, text, assets));
    const placeOf = ({ symbol }: TickerEntry) => places.get(symbol) ?? places.size;
    shown.sort((a, b) => placeOf(a) - placeOf(b));
    list.show(shown);
    setText(count, text === "" ? "" : `${shown.length} of ${all.length}`);
    if (all.length === 0) {
      const hint = "They appear when the engine has read the first orders or market openings.";
      notice.show({ kind: "empty", title: "No markets yet", hint });
    } else if (shown.length === 0) {
      const hint = "Names, issuers and token addresses are searched.";
      notice.show({ kind: "empty", title: "No market matches", hint });
    } else notice.show({ kind: "none" });
  }

  async function loadStatus(): Promise<void> {
    try {
      const status = await ask<Status>("/");
      if (status.status === "loading") return;
      figures.trades.set(status.trades.toLocaleString("en-US"));
      // The API itself calls these values indicative: a float loses nothing here.
      const value = status.volumes.reduce((sum, { volume }) => sum + Number(volume), 0);
      setHidden(figures.value.element, value === 0);
      figures.value.set(`$${floatText(value, 6)}`);
    } catch {
      // The status line says that the engine is gone.
    }
  }

  endings.add(tickers.changes.listen(() => draw(update)));
  endings.add(assets.changes.listen(() => draw(update)));
  endings.add(ledgers.changes.listen(() => draw(update)));
  endings.add(prices.changes.listen(() => draw(update)));
  endings.every(REORDER_MS, reorderUnused);
  endings.every(STATUS_MS, () => void loadStatus());
  endings.every(STATUS_MS, () => prices.refresh());
  endings.add(() => {
    cancelDraw(update);
    list.close();
    prices.close();
  });
  void loadStatus();
  reorder();

  const element = el(
    "div",
    { class: "markets-view" },
    el("h1", { class: "visually-hidden" }, "Markets"),
    el("dl", { class: "figures" }, ...Object.values(figures).map((figure) => figure.element)),
    el("div", { class: "toolbar" }, filter, count, kept),
    el("div", { class: "list-frame" }, list.element, notice.element),
  );
  return { element, title: "Markets", close: () => endings.end() };
}
