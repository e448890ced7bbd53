// Every market with its last 24 hours.
import type { Status } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { el, setHidden } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { floatText } from "../number/decimal.ts";
import { Figure, figureList } from "../page/panel.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { MarketTable } from "./market-table.ts";
import { SparklinePrices } from "./sparkline-prices.ts";

/** The list is put in order again so often, and only where nobody is in the middle of it. */
const REORDER_MS = 30_000;
const STATUS_MS = 10_000;

export function marketsView(sources: Sources): View {
  const { tickers, assets, ledgers } = sources;
  const endings = new Endings();
  const prices = new SparklinePrices();
  const table = new MarketTable(sources, prices);
  const figures = {
    markets: new Figure("Markets"),
    trades: new Figure("Trades, 24 h"),
    state: new Figure("Contract"),
    // Last, since it comes only where the engine knows prices: nothing moves for it.
    value: new Figure("Volume, 24 h"),
  };
  figures.value.element.hidden = true;

  function update(): void {
    figures.state.set(ledgers.contract?.frozen ? "Frozen" : ledgers.contract ? "Open" : "–");
    if (tickers.list !== undefined)
      figures.markets.set(tickers.list.length.toLocaleString("en-US"));
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

  for (const { changes } of [tickers, assets, ledgers, prices]) {
    endings.add(
      changes.listen(() => {
        draw(update);
        table.redraw();
      }),
    );
  }
  endings.every(REORDER_MS, () => table.sortUnused());
  endings.every(STATUS_MS, () => void loadStatus());
  endings.every(STATUS_MS, () => prices.refresh());
  endings.add(() => {
    cancelDraw(update);
    table.close();
    prices.close();
  });
  void loadStatus();
  draw(update);
  table.sort();

  const element = el(
    "div",
    { class: "markets-view" },
    el("h1", { class: "visually-hidden" }, "Markets"),
    figureList(figures),
    table.toolbar,
    table.frame,
  );
  return { element, title: "Markets", close: () => endings.end() };
}
