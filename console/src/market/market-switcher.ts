// Another market from within one: a list to be searched, by pointer or keyboard (a combobox as the ARIA
// practices have it).
import type { TickerEntry } from "../../../src/api/types.ts";
import { el, icon, setText } from "../dom.ts";
import { matchesMarket, sortMarkets } from "../markets/market-order.ts";
import { changeText, toneOf } from "../markets/market-row.ts";
import { compact } from "../number/decimal.ts";
import { marketLink } from "../route.ts";
import { pairOf } from "../state/tickers.ts";
import type { Sources } from "../view.ts";

const DOWN = "M4 6.5l4 4 4-4";
/** More are found by searching. */
const SHOWN_MAX = 100;
const DIGITS = 6;

export class MarketSwitcher {
  /** The market's name, which opens the list. */
  readonly button: HTMLButtonElement;
  readonly dialog: HTMLDialogElement;
  readonly #name = el("span", { class: "pair-title" });
  readonly #search: HTMLInputElement;
  readonly #list = el("div", { class: "switch-list", role: "listbox", id: "switch-list" });
  readonly #none = el("p", { class: "muted", role: "status" });
  readonly #sources: Sources;
  #chosen = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#list.setAttribute("aria-label", "Markets");
    this.button = el(
      "button",
      {
        type: "button",
        class: "switch-button",
        "aria-haspopup": "dialog",
        onclick: () => this.#open(),
      },
      this.#name,
      icon(DOWN),
      el("span", { class: "visually-hidden" }, "Other markets"),
    );
    this.#search = el("input", {
      type: "search",
      role: "combobox",
      placeholder: "Find a market",
      "aria-label": "Find a market",
      "aria-expanded": "true",
      "aria-controls": "switch-list",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.#show(0),
      onkeydown: (event) => this.#key(event as KeyboardEvent),
    });
    this.dialog = el(
      "dialog",
      {
        class: "switch",
        "aria-label": "Other markets",
        // The dialog's own box is what lies around its content: a click there leaves it.
        onclick: (event) => {
          if (event.target === this.dialog) this.dialog.close();
        },
      },
      el("div", { class: "switch-box" }, this.#search, this.#list, this.#none),
    );
  }

  setName(name: string): void {
    setText(this.#name, name);
  }

  #open(): void {
    this.#search.value = "";
    this.dialog.showModal();
    this.#show(0);
    this.#search.focus();
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.#choose(this.#chosen + step);
    } else if (event.key === "Escape") {
      // A search field would take the key to empty itself.
      event.preventDefault();
      this.dialog.close();
    } else if (event.key === "Enter") {
      event.preventDefault();
      const row = this.#list.children[this.#chosen];
      if (row instanceof HTMLElement) row.click();
    }
  }

  #show(chosen: number): void {
    const { tickers, assets } = this.#sources;
    const text = this.#search.value.trim();
    const all = tickers.list ?? [];
    const found = text === "" ? all : all.filter((entry) => matchesMarket(entry, text, assets));
    const sorted = sortMarkets(found, { column: "trades", descending: true }, assets);
    const rows = sorted.slice(0, SHOWN_MAX).map((entry, at) => this.#row(entry, at));
    this.#list.replaceChildren(...rows);
    const more = sorted.length - rows.length;
    const rest = more > 0 ? `${more} more: search for them` : "";
    setText(this.#none, sorted.length === 0 ? "No market matches" : rest);
    this.#choose(chosen);
  }

  #row({ symbol, lastPrice, change, trades }: TickerEntry, at: number): HTMLElement {
    const { assets } = this.#sources;
    const { base, quote } = pairOf(symbol);
    const traded = trades > 0;
    return el(
      "a",
      {
        role: "option",
        id: `switch-${at}`,
        "aria-selected": "false",
        href: marketLink(base, quote),
        tabindex: "-1",
        onclick: () => this.dialog.close(),
      },
      el("span", { class: "market-name" }, `${assets.label(base)}/${assets.label(quote)}`),
      el("span", { class: "num" }, traded ? compact(lastPrice, DIGITS) : "–"),
      el(
        "span",
        { class: "num", "data-tone": traded ? toneOf(change) : "plain" },
        traded ? changeText(change) : "–",
      ),
    );
  }

  #choose(at: number): void {
    const { children } = this.#list;
    this.#chosen = Math.max(0, Math.min(children.length - 1, at));
    [...children].forEach((row, place) => {
      row.setAttribute("aria-selected", String(place === this.#chosen));
    });
    const row = children[this.#chosen];
    row?.scrollIntoView({ block: "nearest" });
    if (row === undefined) this.#search.removeAttribute("aria-activedescendant");
    else this.#search.setAttribute("aria-activedescendant", row.id);
  }
}
