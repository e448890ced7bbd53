// The form of a quote. Its values are kept in the address bar, so that a quote can be shared.

import type { Quote } from "../../../src/api/types.ts";
import { Direction, limitMaxPrice } from "../../../src/client/call.ts";
import { el, icon, setHidden, setText } from "../dom.ts";
import { parseAmount, parseContractPrice, TOKEN_DECIMALS } from "../number/amount.ts";
import { menu, segments } from "../page/choice.ts";
import { decimalInput } from "../page/decimal-input.ts";
import type { Sources } from "../view.ts";
import { AssetField } from "./asset-field.ts";
import type { QuoteParameters } from "./quote-feed.ts";

const SWAP = "M5 2.5v10.5M2.5 10.5L5 13l2.5-2.5M11 13.5V3M8.5 5.5L11 3l2.5 2.5";
const FIRST_AMOUNT = "100";

export type QuoteWish = {
  /** For /quote and the channel `quote`. */
  readonly parameters: QuoteParameters;
  readonly direction: Quote["direction"];
  /** Base units. */
  readonly amount: string;
  /** The caller's own limit in the call's direction, where the quote is one of a limit order. */
  readonly limitPrice: bigint | undefined;
};

export class QuoteForm {
  readonly element: HTMLFormElement;
  readonly #selling: AssetField;
  readonly #buying: AssetField;
  readonly #amount: HTMLInputElement;
  readonly #amountLabel = el("label", { for: "quote-amount" });
  readonly #direct: HTMLInputElement;
  readonly #limit: HTMLInputElement;
  readonly #limitField: HTMLElement;
  readonly #limitLabel = el("label", { for: "quote-limit" });
  readonly #trader: HTMLInputElement;
  readonly #error = el("p", { class: "field-error", role: "alert" });
  readonly live: HTMLInputElement;
  readonly #changed: () => void;
  #direction: Quote["direction"];
  #offered = "";
  toleranceBps = 0;

  /** `changed`: the wish may be another one. `redraw`: only what is made of its answer. */
  constructor(
    sources: Sources,
    parameters: URLSearchParams,
    { changed, redraw }: { readonly changed: () => void; readonly redraw: () => void },
  ) {
    this.#changed = changed;
    const receive = parameters.get("direction") === "strict_receive";
    this.#direction = receive ? "strict_receive" : "strict_send";
    const field = (label: string, name: string): AssetField =>
      new AssetField(sources, {
        label,
        value: parameters.get(name) ?? "",
        changed: () => this.#edited(),
      });
    this.#selling = field("You pay with", "selling");
    this.#buying = field("You get", "buying");
    const oninput = () => this.#edited();
    this.#amount = decimalInput({
      id: "quote-amount",
      value: parameters.get("amount") ?? FIRST_AMOUNT,
      describedBy: "quote-error",
      oninput,
    });
    this.#direct = checkbox(parameters.get("direct") === "true", oninput);
    const limit = parameters.get("limit") ?? "";
    this.#limit = decimalInput({ id: "quote-limit", value: limit, placeholder: "none", oninput });
    this.#limitField = el("div", { class: "field" }, this.#limitLabel, this.#limit);
    this.#trader = el("input", {
      id: "quote-trader",
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "G… or C…",
      oninput: redraw,
    });
    this.live = checkbox(true, changed);
    this.#error.id = "quote-error";
    this.element = this.#layout(redraw);
    this.#label();
  }

  #layout(redraw: () => void): HTMLFormElement {
    const direction = segments("Which amount is exact", DIRECTIONS, this.#direction, (value) => {
      this.#direction = value as Quote["direction"];
      this.#edited();
    });
    const tolerance = menu(TOLERANCE, TOLERANCES, "0", (value) => {
      this.toleranceBps = Number(value);
      redraw();
    });
    const swapSides = () => this.#swapSides();
    const swap = { type: "button", class: "button quiet swap-sides", onclick: swapSides };
    return el(
      "form",
      { class: "quote-form", "aria-label": "Quote", onsubmit: (event) => event.preventDefault() },
      direction,
      el("div", { class: "field amount-field" }, this.#amountLabel, this.#amount, this.#error),
      this.#selling.element,
      el("button", swap, icon(SWAP), "Swap sides"),
      this.#buying.element,
      el("label", { class: "check" }, this.#direct, "Direct market only"),
      this.#limitField,
      el("label", { class: "check" }, this.live, "Follow the market"),
      el("hr"),
      el(
        "div",
        { class: "field" },
        el("label", { for: "quote-trader" }, "Caller of the contract"),
        this.#trader,
      ),
      el(
        "div",
        { class: "field" },
        el("span", { class: "field-label", "aria-hidden": "true" }, TOLERANCE),
        tolerance,
      ),
    );
  }

  /** Undefined where nobody is named. */
  get trader(): string | undefined {
    return this.#trader.value.trim() || undefined;
  }

  /** Who signs here calls, unless somebody else is named. */
  offerTrader(address: string | undefined): void {
    if (address === undefined || address === this.#offered) return;
    const { value } = this.#trader;
    if (value.trim() === "" || value === this.#offered) this.#trader.value = address;
    this.#offered = address;
  }

  /** Fills in what nobody chose yet. */
  suggest(selling: string, buying: string): void {
    if (this.#selling.value === "" && this.#buying.value === "") {
      this.#selling.value = selling;
      this.#buying.value = buying;
      this.#edited();
    }
  }

  /** What is wrong with what was typed, as the last wish found it. */
  get problem(): string | undefined {
    return this.#error.textContent || undefined;
  }

  /** After markets or names came. */
  update(): void {
    this.#selling.update();
    this.#buying.update();
    this.#label();
  }

  /** For the address bar: what a person typed. */
  parameters(): Readonly<Record<string, string>> {
    const limit = this.#limit.value.trim();
    return {
      selling: this.#selling.value,
      buying: this.#buying.value,
      amount: this.#amount.value.trim(),
      ...(this.#direction === "strict_receive" ? { direction: this.#direction } : {}),
      ...(this.#direct.checked ? { direct: "true" } : {}),
      ...(this.#direct.checked && limit !== "" ? { limit } : {}),
    };
  }

  /** Undefined while something is missing or wrong; the form then says what. */
  wish(): QuoteWish | undefined {
    setText(this.#error, "");
    const [selling, buying] = [this.#selling.value, this.#buying.value];
    if (selling === "" || buying === "") return undefined;
    const sends = this.#direction === "strict_send";
    const amount = parseAmount(this.#amount.value, TOKEN_DECIMALS);
    if (amount === undefined || amount === 0n) {
      setText(this.#error, `An amount above zero, with at most ${TOKEN_DECIMALS} decimals.`);
      return undefined;
    }
    const limit = this.#limitPrice();
    if (limit === "wrong") {
      setText(this.#error, "The limit is not a price above zero.");
      return undefined;
    }
    const direct = this.#direct.checked;
    // Quotes count limits in what is paid for one that is got: a seller's limit is the other way.
    const side = sends ? Direction.sell : Direction.buy;
    const maxPrice = limit === undefined ? undefined : limitMaxPrice(side, limit);
    return {
      parameters: {
        sellingAsset: selling,
        buyingAsset: buying,
        amount: String(amount),
        direction: this.#direction,
        ...(direct ? { direct: "true" } : {}),
        ...(maxPrice === undefined ? {} : { maxPrice: String(maxPrice) }),
      },
      direction: this.#direction,
      amount: String(amount),
      limitPrice: limit,
    };
  }

  #limitPrice(): bigint | "wrong" | undefined {
    const text = this.#limit.value.trim();
    if (!this.#direct.checked || text === "") return undefined;
    const price = parseContractPrice(text);
    return price ?? "wrong";
  }

  #swapSides(): void {
    const selling = this.#selling.value;
    this.#selling.value = this.#buying.value;
    this.#buying.value = selling;
    this.#edited();
  }

  #edited(): void {
    this.#label();
    this.#changed();
  }

  #label(): void {
    const sends = this.#direction === "strict_send";
    const exact = sends ? this.#selling : this.#buying;
    setText(
      this.#amountLabel,
      `${sends ? "Pay exactly" : "Get exactly"}, ${exact.label || "token"}`,
    );
    const [paid, got] = [this.#selling.label, this.#buying.label];
    const limit = sends ? `Limit: least ${got} per ${paid}` : `Limit: most ${paid} per ${got}`;
    setText(this.#limitLabel, limit);
    setHidden(this.#limitField, !this.#direct.checked);
  }
}

const DIRECTIONS = [
  { value: "strict_send", name: "Pay exactly" },
  { value: "strict_receive", name: "Get exactly" },
] as const;

const TOLERANCE = "Tolerance of a swap";
const TOLERANCES = [
  { value: "0", name: "None: exactly as quoted" },
  { value: "10", name: "0.1%" },
  { value: "50", name: "0.5%" },
  { value: "100", name: "1%" },
] as const;

function checkbox(checked: boolean, onchange: () => void): HTMLInputElement {
  return el("input", { type: "checkbox", checked, onchange });
}
