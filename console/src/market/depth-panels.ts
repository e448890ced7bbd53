// The book of a market twice: as a ladder of levels and as a chart of cumulative depth.
import { el, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { countedZeros, movePoint } from "../number/decimal.ts";
import { menu, segments } from "../page/choice.ts";
import { Notice, panel } from "../page/panel.ts";
import { quoteLink } from "../route.ts";
import { Endings, type Sources } from "../view.ts";
import { bookNotice } from "./book-notice.ts";
import { DepthChart } from "./depth-chart.ts";
import { BANDS, COARSER, DepthFeed } from "./depth-feed.ts";
import { type ChosenLevel, DepthLadder } from "./depth-ladder.ts";

/** Of a step that is written out. */
const STEP_CHARACTERS_MAX = 10;

type Market = { readonly base: string; readonly quote: string };

export class DepthPanels {
  /** The panel of the ladder and the panel of the chart. */
  readonly elements: readonly HTMLElement[];
  readonly #sources: Sources;
  readonly #market: Market;
  readonly #feed: DepthFeed;
  readonly #units = { base: el("span", { class: "unit" }), quote: el("span", { class: "unit" }) };
  readonly #steps: HTMLSelectElement;
  /** Over the ladder and over the chart. */
  readonly #notices = [new Notice(), new Notice()] as const;
  readonly #endings = new Endings();

  constructor(sources: Sources, market: Market) {
    this.#sources = sources;
    this.#market = market;
    this.#feed = new DepthFeed(sources.connection, `${market.base}/${market.quote}`);
    const ladder = new DepthLadder(this.#feed, this.#units, (level) => levelLink(market, level));
    const chart = new DepthChart(this.#feed);
    this.#steps = menu(
      "Price step",
      COARSER.map((places) => ({ value: String(places), name: "…" })),
      "0",
      (value) => this.#feed.setCoarser(Number(value)),
    );
    this.elements = [this.#ladderPanel(ladder), this.#chartPanel(chart)];
    const update = () => this.#showBook();
    this.#endings.add(this.#feed.changes.listen(() => draw(update)));
    this.#endings.add(() => {
      cancelDraw(update);
      this.#feed.close();
      ladder.close();
      chart.close();
    });
    this.#showBook();
  }

  /** After names came. */
  update(): void {
    setText(this.#units.base, this.#sources.assets.label(this.#market.base));
    setText(this.#units.quote, this.#sources.assets.label(this.#market.quote));
  }

  close(): void {
    this.#endings.end();
  }

  #ladderPanel(ladder: DepthLadder): HTMLElement {
    const label = el("span", { class: "muted", "aria-hidden": "true" }, "Step");
    const { element, body } = panel("Order book", "book", [label, this.#steps]);
    body.append(ladder.element, this.#notices[0].element);
    return element;
  }

  #chartPanel(chart: DepthChart): HTMLElement {
    const bands = BANDS.map((band) => ({ value: band, name: `${band}%` }));
    const choose = (band: string) => this.#feed.setBand(band);
    const { element, body } = panel("Depth", "depth", [
      segments("Band around the middle", bands, this.#feed.band, choose),
    ]);
    body.append(chart.element, this.#notices[1].element);
    return element;
  }

  #showBook(): void {
    const { automaticStep } = this.#feed;
    [...this.#steps.options].forEach((option, at) => {
      const places = COARSER[at] ?? 0;
      const step = automaticStep === undefined ? "…" : movePoint(automaticStep, places);
      setText(option, step.length > STEP_CHARACTERS_MAX ? countedZeros(step) : step);
    });
    const state = bookNotice(this.#feed);
    for (const notice of this.#notices) notice.show(state);
  }
}

/** To the quote of all that lies up to a level: an ask is bought and a bid sold into, no further. */
function levelLink({ base, quote }: Market, { side, price, total }: ChosenLevel): string {
  const isAsk = side === "ask";
  return quoteLink({
    selling: isAsk ? quote : base,
    buying: isAsk ? base : quote,
    amount: total,
    ...(isAsk ? { direction: "strict_receive" } : {}),
    direct: "true",
    limit: price,
  });
}
