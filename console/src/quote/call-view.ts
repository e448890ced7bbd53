// The contract calls that take a route, to be read and copied.

import { callJson } from "../../../src/client/call.ts";
import { el } from "../dom.ts";
import { copyButton } from "../page/copy-button.ts";
import { callCommand, type ShownCall, shownArguments } from "./contract-call.ts";

/** `why`: of its approval. */
export function callView(
  { call, kind, why }: ShownCall & { readonly why: string },
  contract: string | undefined,
  actions: readonly HTMLElement[] = [],
): HTMLElement {
  const rows = shownArguments(call).map(([name, text]) =>
    el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, el("code", {}, text))),
  );
  return el(
    "section",
    { class: "call" },
    el(
      "div",
      { class: "call-head" },
      el("h3", {}, el("code", {}, call.fn)),
      el("span", { class: "muted" }, kind),
      el(
        "span",
        { class: "call-actions" },
        copyButton(`the arguments of ${call.fn}`, () => callJson(call, 2), "JSON"),
        copyButton(
          `the command for ${call.fn}`,
          () => callCommand(call, contract ?? "CONTRACT"),
          "Command",
        ),
        ...actions,
      ),
    ),
    el("p", { class: "call-why" }, why),
    el(
      "div",
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `Arguments of ${call.fn}`,
      },
      el("table", { class: "call-args" }, el("tbody", {}, ...rows)),
    ),
  );
}
