// A sparkline: the day's prices as one line, without axes, beside the numbers.
import { svg } from "../dom.ts";

const WIDTH = 96;
const HEIGHT = 28;
const MARGIN = 2;

/** `open` and `last` are those of the numbers beside the line, which come more often than the rest. */
export type Day = {
  readonly open: number;
  readonly between: readonly number[];
  readonly last: number;
};

export class Sparkline {
  readonly element: SVGSVGElement;
  readonly #line = svg("path", { class: "spark-line", d: "" });
  readonly #area = svg("path", { class: "spark-area", d: "" });
  #shown: Day | undefined;

  constructor() {
    this.element = svg(
      "svg",
      {
        class: "sparkline",
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      this.#area,
      this.#line,
    );
  }

  /** Undefined draws nothing. Where the line ends above its start, it has the colour of a rise. */
  show(day: Day | undefined): void {
    if (sameDay(day, this.#shown)) return;
    this.#shown = day;
    const points = day === undefined ? "" : linePoints([day.open, ...day.between, day.last]);
    this.#line.setAttribute("d", points === "" ? "" : `M${points}`);
    const floor = `L${WIDTH - MARGIN} ${HEIGHT}L${MARGIN} ${HEIGHT}Z`;
    this.#area.setAttribute("d", points === "" ? "" : `M${points}${floor}`);
    const fell = day !== undefined && day.last < day.open;
    this.element.dataset.tone = fell ? "down" : "up";
  }
}

function sameDay(one: Day | undefined, other: Day | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.between === other.between && one.open === other.open && one.last === other.last;
}

function linePoints(prices: readonly number[]): string {
  const low = Math.min(...prices);
  const high = Math.max(...prices);
  const span = high - low || 1;
  const stepX = (WIDTH - 2 * MARGIN) / (prices.length - 1);
  return prices
    .map((price, at) => {
      const x = MARGIN + at * stepX;
      const y =
        high === low ? HEIGHT / 2 : MARGIN + ((high - price) / span) * (HEIGHT - 3 * MARGIN);
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("L");
}
