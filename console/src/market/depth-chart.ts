// The book as two running totals over the price: how much can be traded up to where. A canvas, since
// all of it changes at once; for those who do not see it, its label says the same in words.
import { el, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { compact, floatText } from "../number/decimal.ts";
import { theme, themeColor } from "../theme.ts";
import type { Book, DepthFeed } from "./depth-feed.ts";
import type { SummedLevel } from "./depth-sums.ts";

const DIGITS = 6;
const AXIS_HEIGHT = 20;
const TOP = 12;

type Colors = Readonly<Record<"bid" | "ask" | "bidFill" | "askFill" | "text" | "line", string>>;

/** Prices and totals to pixels. */
type Frame = {
  readonly width: number;
  readonly height: number;
  readonly low: number;
  readonly high: number;
  readonly most: number;
};

export class DepthChart {
  readonly element: HTMLElement;
  readonly #canvas = el("canvas", { role: "img", "aria-label": "Cumulative depth" });
  readonly #reading = el("div", { class: "depth-reading num", "aria-hidden": "true" });
  readonly #feed: DepthFeed;
  readonly #observer: ResizeObserver;
  readonly #stops: (() => void)[];
  #colors: Colors = colors();
  /** Pixels from the left; undefined without a pointer. */
  #pointer: number | undefined;
  readonly #render = (): void => this.#draw();

  constructor(feed: DepthFeed) {
    this.#feed = feed;
    this.element = el("div", { class: "depth-chart" }, this.#canvas, this.#reading);
    this.#observer = new ResizeObserver(() => draw(this.#render));
    this.#observer.observe(this.element);
    this.#canvas.addEventListener("pointermove", ({ offsetX }) => this.#point(offsetX));
    this.#canvas.addEventListener("pointerleave", () => this.#point(undefined));
    this.#stops = [
      feed.changes.listen(() => draw(this.#render)),
      theme.changes.listen(() => {
        this.#colors = colors();
        draw(this.#render);
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#observer.disconnect();
    cancelDraw(this.#render);
  }

  #point(offset: number | undefined): void {
    this.#pointer = offset;
    draw(this.#render);
  }

  #draw(): void {
    const { book } = this.#feed;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (book === undefined || width === 0 || height === 0) return;
    const context = prepare(this.#canvas, width, height);
    const frame = frameOf(book, width, height - AXIS_HEIGHT);
    if (context === undefined || frame === undefined) {
      this.#canvas.setAttribute("aria-label", "Cumulative depth: no orders within the band.");
      setText(this.#reading, "");
      return;
    }
    const { bid, bidFill, ask, askFill } = this.#colors;
    area(context, frame, { levels: book.bids, line: bid, fill: bidFill, edge: frame.low });
    area(context, frame, { levels: book.asks, line: ask, fill: askFill, edge: frame.high });
    this.#axis(context, frame);
    this.#readPointer(context, frame, book);
    const bids = book.bids.at(-1)?.total ?? "0";
    const asks = book.asks.at(-1)?.total ?? "0";
    this.#canvas.setAttribute(
      "aria-label",
      `Cumulative depth within ${this.#feed.band}% of the middle: bids for ${bids}, asks of ${asks}.`,
    );
  }

  #axis(context: CanvasRenderingContext2D, frame: Frame): void {
    const { width, height, low, high } = frame;
    context.fillStyle = this.#colors.line;
    context.fillRect(0, height, width, 1);
    context.fillStyle = this.#colors.text;
    context.font = "11px Inter, system-ui, sans-serif";
    context.textBaseline = "middle";
    const places = width < 480 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
    for (const place of places) {
      context.textAlign = place === 0 ? "left" : place === 1 ? "right" : "center";
      const inset = place === 0 ? 6 : place === 1 ? -6 : 0;
      const text = floatText(low + (high - low) * place, DIGITS);
      context.fillText(text, width * place + inset, height + AXIS_HEIGHT / 2 + 1);
    }
  }

  #readPointer(context: CanvasRenderingContext2D, frame: Frame, book: Book): void {
    if (this.#pointer === undefined) {
      const total = (levels: readonly SummedLevel[]) =>
        compact(levels.at(-1)?.total ?? "0", DIGITS);
      setText(this.#reading, `bids for ${total(book.bids)}, asks of ${total(book.asks)}`);
      return;
    }
    const price = frame.low + (this.#pointer / frame.width) * (frame.high - frame.low);
    const onBids = price <= Number(book.bids[0]?.price ?? Number.NEGATIVE_INFINITY);
    const levels = onBids ? book.bids : book.asks;
    const reached = levels.filter((level) =>
      onBids ? Number(level.price) >= price : Number(level.price) <= price,
    );
    const level = reached.at(-1);
    context.fillStyle = this.#colors.text;
    context.globalAlpha = 0.6;
    context.fillRect(this.#pointer, 0, 1, frame.height);
    context.globalAlpha = 1;
    const total = compact(level?.total ?? "0", DIGITS);
    const side = onBids ? "bids down to" : "asks up to";
    setText(this.#reading, `${side} ${floatText(price, DIGITS)}: ${total}`);
  }
}

function colors(): Colors {
  return {
    bid: themeColor("--up"),
    ask: themeColor("--down"),
    bidFill: themeColor("--up-soft"),
    askFill: themeColor("--down-soft"),
    text: themeColor("--muted"),
    line: themeColor("--border"),
  };
}

/** At the device's own resolution, cleared. */
function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const ratio = devicePixelRatio;
  const [pixelsX, pixelsY] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelsX || canvas.height !== pixelsY) {
    canvas.width = pixelsX;
    canvas.height = pixelsY;
  }
  const context = canvas.getContext("2d");
  if (context === null) return undefined;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Undefined for an empty book. The middle of the book is the middle of the chart. */
function frameOf({ body, bids, asks }: Book, width: number, height: number): Frame | undefined {
  const bestBid = Number(body.bestBid ?? body.bestAsk);
  const bestAsk = Number(body.bestAsk ?? body.bestBid);
  const middle = (bestBid + bestAsk) / 2;
  const most = Math.max(bids.at(-1)?.totalNumber ?? 0, asks.at(-1)?.totalNumber ?? 0);
  if (most === 0 || !(middle > 0)) return undefined;
  const farthest = Math.max(
    middle - Number(bids.at(-1)?.price ?? middle),
    Number(asks.at(-1)?.price ?? middle) - middle,
  );
  const reach = farthest * 1.04 || middle * 0.01;
  return { width, height, low: middle - reach, high: middle + reach, most: most * 1.08 };
}

/** A staircase from the best price outwards, to the edge of the chart. */
function area(
  context: CanvasRenderingContext2D,
  { width, height, low, high, most }: Frame,
  side: {
    readonly levels: readonly SummedLevel[];
    readonly line: string;
    readonly fill: string;
    readonly edge: number;
  },
): void {
  const first = side.levels[0];
  if (first === undefined) return;
  const x = (price: number): number => ((price - low) / (high - low)) * width;
  const y = (total: number): number => TOP + (1 - total / most) * (height - TOP);
  const start = x(Number(first.price));
  const path = new Path2D();
  path.moveTo(start, height);
  let last = height;
  for (const { price, totalNumber } of side.levels) {
    const at = x(Number(price));
    path.lineTo(at, last);
    last = y(totalNumber);
    path.lineTo(at, last);
  }
  path.lineTo(x(side.edge), last);
  const closed = new Path2D(path);
  closed.lineTo(x(side.edge), height);
  closed.closePath();
  context.fillStyle = side.fill;
  context.fill(closed);
  context.strokeStyle = side.line;
  context.lineWidth = 1.5;
  context.stroke(path);
}
