// Placeholder of a route while there is none: an explanation and an example.
import { el } from "../dom.ts";
import { quoteLink } from "../route.ts";
import type { Assets } from "../state/assets.ts";

const PARTS = [
  ["Pay", "what leaves the trader's account"],
  [
    "Orders",
    "of each hop: who made them, what each gets and gives, and the worst price among them",
  ],
  ["Get", "what arrives"],
  ["Contract call", "that takes the route, with its approval where one is missing"],
] as const;

/** `market`: for the example; undefined while none is known. */
export function introduction(
  market: { readonly base: string; readonly quote: string } | undefined,
  assets: Assets,
): HTMLElement {
  const parts = PARTS.map(([name, text]) =>
    el("li", {}, el("b", {}, name), el("span", { class: "muted" }, text)),
  );
  return el(
    "div",
    { class: "introduction" },
    el("h3", {}, "A quote's route, hop by hop"),
    el("ol", {}, ...parts),
    ...(market === undefined
      ? []
      : [
          el(
            "a",
            {
              class: "button",
              href: quoteLink({ selling: market.quote, buying: market.base, amount: "100" }),
            },
            `Example: pay 100 ${assets.label(market.quote)}, get ${assets.label(market.base)}`,
          ),
        ]),
  );
}
