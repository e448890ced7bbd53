// The routes of a quote, best first, of which one is looked at.

import type { Quote, QuotePath } from "../../../src/api/types.ts";
import { priceText } from "../../../src/model/display.ts";
import { el, setHidden, setText } from "../dom.ts";
import { amountText } from "../number/amount.ts";
import { grouped } from "../number/decimal.ts";
import type { Assets } from "../state/assets.ts";

/** Of a quote (the API's document). */
const ROUTES_MAX = 10;

type Card = {
  readonly element: HTMLButtonElement;
  readonly way: HTMLElement;
  readonly amount: HTMLElement;
  readonly price: HTMLElement;
  readonly difference: HTMLElement;
};

export class RouteList {
  readonly element: HTMLElement;
  readonly #cards: readonly Card[];
  readonly #assets: Assets;
  #chosen = 0;

  constructor(assets: Assets, changed: () => void) {
    this.#assets = assets;
    this.#cards = Array.from({ length: ROUTES_MAX }, (_, at) =>
      card(at, () => {
        this.#chosen = at;
        changed();
      }),
    );
    this.element = el("div", { class: "routes" }, ...this.#cards.map(({ element }) => element));
  }

  /** Returns the route looked at; undefined where there is none. */
  show(quote: Quote | undefined, paths: readonly QuotePath[]): QuotePath | undefined {
    const chosen = Math.min(this.#chosen, paths.length - 1);
    this.#cards.forEach((one, at) => {
      const path = paths[at];
      setHidden(one.element, path === undefined);
      one.element.setAttribute("aria-pressed", String(at === chosen));
      const best = paths[0];
      if (quote !== undefined && path !== undefined && best !== undefined) {
        this.#fill(one, { quote, path, best });
      }
    });
    return paths[chosen];
  }

  #fill(
    { way, amount, price, difference }: Card,
    { quote, path, best }: { quote: Quote; path: QuotePath; best: QuotePath },
  ): void {
    const { sellingAsset, buyingAsset, direction } = quote;
    const labels = [sellingAsset, ...path.path.map(({ buying }) => buying)].map((asset) =>
      this.#assets.label(asset),
    );
    setText(way, labels.join(" → "));
    const sends = direction === "strict_send";
    const asset = sends ? buyingAsset : sellingAsset;
    const units = sends ? path.bought : path.sold;
    setText(amount, `${amountText(units)} ${this.#assets.label(asset)}`);
    const count = path.path.reduce((sum, hop) => sum + hop.orders.length, 0);
    const ratio = priceText(BigInt(path.bought), BigInt(path.sold));
    const per = `${this.#assets.label(buyingAsset)} per ${this.#assets.label(sellingAsset)}`;
    setText(price, `${grouped(ratio)} ${per} · ${count === 1 ? "1 order" : `${count} orders`}`);
    setText(difference, path === best ? "best" : `−${worsePercent(path, best, sends)}%`);
  }
}

/** How much worse than the best route, rounded down at three decimals. */
function worsePercent(path: QuotePath, best: QuotePath, sends: boolean): string {
  const [good, bad] = sends
    ? [BigInt(best.bought), BigInt(path.bought)]
    : [BigInt(path.sold), BigInt(best.sold)];
  const thousandths = ((good - bad) * 100_000n) / (sends ? good : bad);
  const text = thousandths.toString().padStart(4, "0");
  return `${text.slice(0, -3)}.${text.slice(-3)}`;
}

function card(at: number, choose: () => void): Card {
  const way = el("span", { class: "route-way" });
  const amount = el("span", { class: "route-amount num" });
  const price = el("span", { class: "route-price num muted" });
  const difference = el("span", { class: "route-difference num" });
  const element = el(
    "button",
    { type: "button", class: "route-card", hidden: true, onclick: choose },
    el("span", { class: "route-rank num" }, String(at + 1)),
    way,
    difference,
    amount,
    price,
  );
  return { element, way, amount, price, difference };
}
