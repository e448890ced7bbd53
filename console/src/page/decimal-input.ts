// A field for a decimal number. Whoever reads it parses what was typed.
import { el } from "../dom.ts";

type Options = {
  readonly id: string;
  readonly value?: string;
  readonly placeholder?: string;
  /** The element that says what is wrong with it. */
  readonly describedBy?: string;
  readonly oninput?: () => void;
};

export function decimalInput(options: Options): HTMLInputElement {
  const { describedBy, ...attributes } = options;
  return el("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    class: "num",
    ...attributes,
    "aria-describedby": describedBy,
  });
}
