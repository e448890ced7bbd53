// A number with its unit, in a place of fixed width: the unit gives way, the number never.
import { el, setText, setTitle } from "../dom.ts";

export class Quantity {
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
