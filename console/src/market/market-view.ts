// One market: its day, candles, book, cumulative depth, trades, and an order of one's own.
import { el, setClass, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { segments } from "../page/choice.ts";
import { panel } from "../page/panel.ts";
import { OrderTicket } from "../trading/order-ticket.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { chartPanel } from "./chart-panel.ts";
import { DepthPanels } from "./depth-panels.ts";
import { MarketHead } from "./market-head.ts";
import { TradeTape } from "./trade-tape.ts";

/** Of the latest, in the chart. */
const MARKED_TRADES = 20;

export function marketView(sources: Sources, market: { base: string; quote: string }): View {
  const { connection, assets, tickers, wallet } = sources;
  const { base, quote } = market;
  const endings = new Endings();
  const head = new MarketHead(sources, market);
  const depth = new DepthPanels(sources, market);
  const { chart, element: chartElement } = chartPanel(connection, `${base}/${quote}`);
  const tape = new TradeTape(connection, market, (trades) => {
    head.setLastTrade(trades[0]?.price);
    chart.setTrades(trades.slice(0, MARKED_TRADES));
    draw(update);
  });
  const tapeUnit = el("span", { class: "muted" });
  const tapePanel = panel("Trades", "trades-panel", [tapeUnit]);
  tapePanel.body.append(tape.element);
  const ticket = new OrderTicket(sources, market);
  const ticketPanel = panel("Limit order", "ticket-panel");
  ticketPanel.body.append(ticket.element);

  function update(): void {
    head.update();
    ticket.update();
    depth.update();
    setText(tapeUnit, `${assets.label(quote)} per ${assets.label(base)}`);
  }

  /** Where somebody signs. It takes its place at once, before there is anything else to see. */
  function updateTicket(): void {
    setClass(element, "has-ticket", wallet.canSend);
  }

  endings.add(tickers.changes.listen(() => draw(update)));
  endings.add(assets.changes.listen(() => draw(update)));
  endings.add(wallet.changes.listen(updateTicket));
  endings.add(() => {
    cancelDraw(update);
    for (const part of [depth, chart, tape, ticket]) part.close();
  });

  const element = el(
    "div",
    { class: "market-view", "data-part": "chart" },
    head.element,
    el(
      "div",
      { class: "parts" },
      segments("Part of the market", PARTS, "chart", (part) => {
        element.dataset.part = part;
      }),
    ),
    head.dialog,
    chartElement,
    ...depth.elements,
    tapePanel.element,
    ticketPanel.element,
  );
  updateTicket();
  update();
  return { element, title: () => head.title, close: () => endings.end() };
}

/** On a phone one part is shown at a time. */
const PARTS = [
  { value: "chart", name: "Chart" },
  { value: "book", name: "Book" },
  { value: "depth", name: "Depth" },
  { value: "trades", name: "Trades" },
  { value: "ticket", name: "Order" },
] as const;
