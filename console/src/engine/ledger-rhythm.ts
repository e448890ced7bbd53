// Intervals between the latest ledgers as bars, the newest on the right.
import { el } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { ageText } from "../page/time.ts";
import type { Ledgers } from "../state/ledgers.ts";
import { theme, themeColor } from "../theme.ts";

const BAR = 6;
const GAP = 2;

export class LedgerRhythm {
  readonly element: HTMLElement;
  readonly #canvas = el("canvas", { role: "img", "aria-label": "Time between ledgers" });
  readonly #ledgers: Ledgers;
  readonly #observer: ResizeObserver;
  readonly #stops: (() => void)[];
  #accent = themeColor("--accent");
  #muted = themeColor("--muted");
  readonly #render = (): void => this.#draw();

  constructor(ledgers: Ledgers) {
    this.#ledgers = ledgers;
    this.element = el("div", { class: "rhythm" }, this.#canvas);
    this.#observer = new ResizeObserver(() => draw(this.#render));
    this.#observer.observe(this.element);
    this.#stops = [
      ledgers.changes.listen(() => draw(this.#render)),
      theme.changes.listen(() => {
        this.#accent = themeColor("--accent");
        this.#muted = themeColor("--muted");
        draw(this.#render);
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#observer.disconnect();
    cancelDraw(this.#render);
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = this.#canvas.getContext("2d");
    if (context === null || width === 0) return;
    const ratio = devicePixelRatio;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    const { arrivals } = this.#ledgers;
    const spans = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at));
    const shown = spans.slice(-Math.floor(width / (BAR + GAP)));
    const most = Math.max(...shown, 0);
    context.fillStyle = this.#accent;
    shown.forEach((span, at) => {
      const tall = Math.max(2, (span / most) * (height - 20));
      context.fillRect(width - (shown.length - at) * (BAR + GAP), height - tall, BAR, tall);
    });
    context.fillStyle = this.#muted;
    context.font = "11px Inter, system-ui, sans-serif";
    const longest = shown.length === 0 ? "waiting for ledgers" : `longest ${ageText(most)}`;
    context.fillText(longest, 2, 12);
    this.#canvas.setAttribute(
      "aria-label",
      `Time between the last ${shown.length} ledgers: ${longest}.`,
    );
  }
}
