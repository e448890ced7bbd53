// A table that scrolls beside its page and gives way to labelled lines on a phone.
import { el } from "../dom.ts";

export type Head = { readonly name: string; readonly numeric?: boolean | undefined };

/** `className`: further classes of the frame that scrolls. Cells name their column in `data-label`. */
export function plainTable(
  label: string,
  heads: readonly Head[],
  body: HTMLElement,
  className = "",
): HTMLElement {
  const cells = heads.map(({ name, numeric }) =>
    el("th", { scope: "col", class: numeric ? "num" : "" }, name),
  );
  return el(
    "div",
    {
      class: `table-scroll ${className}`.trim(),
      tabindex: "0",
      role: "region",
      "aria-label": label,
    },
    el("table", { class: "plain-table labelled" }, el("thead", {}, el("tr", {}, ...cells)), body),
  );
}
