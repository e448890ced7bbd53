// Chooses an asset: one of the known ones from a menu, or any other in a form that the API takes.
import { el, setHidden } from "../dom.ts";
import { type Assets, shortAddress } from "../state/assets.ts";
import { pairOf, type Tickers } from "../state/tickers.ts";

const OTHER = "other";
let fields = 0;

export class AssetField {
  readonly element: HTMLElement;
  readonly #select: HTMLSelectElement;
  readonly #text: HTMLInputElement;
  readonly #assets: Assets;
  readonly #tickers: Tickers;
  #shown = "";

  constructor(
    { assets, tickers }: { readonly assets: Assets; readonly tickers: Tickers },
    { label, value, changed }: { label: string; value: string; changed: () => void },
  ) {
    this.#assets = assets;
    this.#tickers = tickers;
    fields += 1;
    const id = `asset-${fields}`;
    this.#select = el("select", {
      id,
      onchange: () => {
        this.#showText();
        if (this.#select.value === OTHER) this.#text.focus();
        changed();
      },
    });
    this.#text = el("input", {
      type: "text",
      "aria-label": `${label}: CODE:ISSUER or token address`,
      placeholder: "CODE:ISSUER or C…",
      autocomplete: "off",
      spellcheck: "false",
      hidden: true,
      oninput: changed,
    });
    this.element = el(
      "div",
      { class: "field" },
      el("label", { for: id }, label),
      this.#select,
      this.#text,
    );
    this.update();
    this.value = value;
  }

  get value(): string {
    return this.#select.value === OTHER ? this.#text.value.trim() : this.#select.value;
  }

  set value(value: string) {
    const known = [...this.#select.options].some((option) => option.value === value);
    if (known) this.#select.value = value;
    else {
      this.#select.value = OTHER;
      this.#text.value = value;
    }
    this.#showText();
  }

  get label(): string {
    const { value } = this;
    return /^C[A-Z2-7]{55}$/.test(value)
      ? this.#assets.label(value)
      : (value.split(/[:-]/)[0] ?? "");
  }

  /** After markets or names came. What is chosen stays chosen. */
  update(): void {
    const { value } = this;
    const addresses = new Set<string>();
    for (const { symbol } of this.#tickers.list ?? []) {
      const { base, quote } = pairOf(symbol);
      addresses.add(base).add(quote);
    }
    const options = [...addresses]
      .map((address) => ({ address, label: this.#assets.label(address) }))
      .sort((a, b) => (a.label.toLowerCase() < b.label.toLowerCase() ? -1 : 1));
    const text = JSON.stringify(options);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#select.replaceChildren(
      ...options.map(({ address, label }) => {
        const named = this.#assets.name(address) !== undefined;
        return el(
          "option",
          { value: address },
          named ? `${label} (${shortAddress(address)})` : label,
        );
      }),
      el("option", { value: OTHER }, "Other asset…"),
    );
    this.value = value;
  }

  #showText(): void {
    setHidden(this.#text, this.#select.value !== OTHER);
  }
}
