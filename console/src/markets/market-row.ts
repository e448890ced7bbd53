// One market of the list: its names, its day in numbers and as a line.
import type { TickerEntry } from "../../../src/api/types.ts";
import { el, setClass, setText, setTitle } from "../dom.ts";
import { compact } from "../number/decimal.ts";
import type { Row } from "../page/virtual-list.ts";
import { marketLink } from "../route.ts";
import { type Assets, shortAddress } from "../state/assets.ts";
import { pairOf } from "../state/tickers.ts";
import { Sparkline } from "./sparkline.ts";
import type { SparklinePrices } from "./sparkline-prices.ts";

/** Digits of numbers in the list; the exact ones are in their titles. */
const DIGITS = 6;

export function marketRow(assets: Assets, prices: SparklinePrices): Row<TickerEntry> {
  const baseName = el("span", { class: "pair-name" });
  const quoteName = el("span", { class: "pair-name" });
  const names = el("span", { class: "pair-names" }, baseName, " / ", quoteName);
  const addresses = el("span", { class: "pair-addresses" });
  const link = el("a", { class: "market-link" }, names, addresses);
  const price = cell("price num");
  const change = cell("change num");
  const range = cell("range num wide");
  const low = el("span");
  const high = el("span");
  range.append(low, high);
  const baseVolume = new Quantity();
  const quoteVolume = new Quantity();
  const trades = cell("trades num medium");
  const spark = new Sparkline();
  const element = el(
    "div",
    { class: "market-row", role: "row" },
    el("div", { class: "pair", role: "cell" }, link),
    price,
    change,
    range,
    cell("volume num wide", baseVolume.element),
    cell("quote-volume num medium", quoteVolume.element),
    trades,
    el("div", { class: "spark", role: "cell" }, spark.element),
  );
  return {
    element,
    update: (entry) => {
      const { base, quote } = pairOf(entry.symbol);
      setName(baseName, base, assets);
      setName(quoteName, quote, assets);
      setText(addresses, `${shortAddress(base)} / ${shortAddress(quote)}`);
      setTitle(link, `${assets.fullName(base) ?? base} / ${assets.fullName(quote) ?? quote}`);
      const href = marketLink(base, quote);
      if (link.getAttribute("href") !== href) link.setAttribute("href", href);
      const traded = entry.trades > 0;
      setNumber(price, entry.lastPrice, traded);
      setText(change, traded ? changeText(entry.change) : "–");
      change.dataset.tone = toneOf(entry.change);
      setText(low, traded ? compact(entry.lowPrice, DIGITS) : "–");
      setText(high, traded ? compact(entry.highPrice, DIGITS) : "");
      setVolume(baseVolume, entry.volume, assets.label(base), traded);
      setVolume(quoteVolume, entry.quoteVolume, assets.label(quote), traded);
      setText(trades, entry.trades.toLocaleString("en-US"));
      const between = traded ? prices.of(entry.symbol) : undefined;
      const [open, last] = [Number(entry.openPrice), Number(entry.lastPrice)];
      spark.show(between === undefined ? undefined : { open, between, last });
    },
  };
}

export function changeText(change: number): string {
  const text = Math.abs(change).toFixed(2);
  if (Number(text) === 0) return "0.00%";
  return `${change > 0 ? "+" : "−"}${text}%`;
}

export function toneOf(change: number): "up" | "down" | "plain" {
  if (Math.abs(change) < 0.005) return "plain";
  return change > 0 ? "up" : "down";
}

/** An address that stands for a name is short already: names give way to it. */
function setName(element: HTMLElement, address: string, assets: Assets): void {
  setText(element, assets.label(address));
  setClass(element, "is-address", assets.name(address) === undefined);
}

function cell(name: string, ...children: readonly HTMLElement[]): HTMLElement {
  return el("div", { class: name, role: "cell" }, ...children);
}

function setNumber(element: HTMLElement, text: string, known: boolean): void {
  setText(element, known ? compact(text, DIGITS) : "–");
  setTitle(element, known ? text : "");
}

function setVolume(volume: Quantity, text: string, unit: string, known: boolean): void {
  if (known) volume.set(compact(text, DIGITS), unit, `${text} ${unit}`);
  else volume.set("–", "");
}

/** A number with its unit, in a place of fixed width: the unit gives way, the number never. */
class Quantity {
  readonly element: HTMLElement;
  readonly #value = el("span", { class: "quantity-value" });
  readonly #unit = el("span", { class: "unit" });

  constructor() {
    this.element = el("span", { class: "quantity" }, this.#value, this.#unit);
  }

  /** `exact`: with all digits, shown on demand. */
  set(value: string, unit: string, exact = ""): void {
    setText(this.#value, value);
    setText(this.#unit, unit === "" ? "" : ` ${unit}`);
    setTitle(this.element, exact);
  }
}
