// A price's way as one line, without axes: for the eye, beside the numbers.
import { svg } from "../dom.ts";

const WIDTH = 96;
const HEIGHT = 28;
const MARGIN = 2;

export class Sparkline {
  readonly element: SVGSVGElement;
  readonly #line = svg("path", { class: "spark-line", d: "" });
  readonly #area = svg("path", { class: "spark-area", d: "" });
  #shown: readonly number[] | undefined;

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

  show(prices: readonly number[] | undefined): void {
    if (prices === this.#shown) return;
    this.#shown = prices;
    const points = prices === undefined || prices.length < 2 ? "" : linePoints(prices);
    this.#line.setAttribute("d", points === "" ? "" : `M${points}`);
    const floor = `L${WIDTH - MARGIN} ${HEIGHT}L${MARGIN} ${HEIGHT}Z`;
    this.#area.setAttribute("d", points === "" ? "" : `M${points}${floor}`);
    const fell = (prices?.at(-1) ?? 0) < (prices?.[0] ?? 0);
    this.element.dataset.tone = fell ? "down" : "up";
  }
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
