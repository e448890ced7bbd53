// Where no account is named, or none that there can be: a field for its address, and who traded lately.
import type { Swap, Trade } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { el } from "../dom.ts";
import { Notice } from "../page/panel.ts";
import { accountLink } from "../route.ts";
import type { View } from "../view.ts";

const SUGGESTED = 8;
/** Whose makers are counted. */
const TRADES = 200;

/** `wrong`: what was given instead of an address. */
export function chooseAccount(wrong: string | undefined): View {
  const ended = new AbortController();
  const makers = el("ul", { class: "suggested" });
  const notice = new Notice();

  async function suggest(): Promise<void> {
    try {
      const busiest = await busiestMakers(ended.signal);
      makers.replaceChildren(...busiest.map(([address, fills]) => suggestion(address, fills)));
      const hint = "Accounts whose orders are filled are listed here.";
      notice.show(
        busiest.length > 0 ? { kind: "none" } : { kind: "empty", title: "No trades yet", hint },
      );
    } catch (error) {
      if (!ended.signal.aborted) notice.showError(error, () => void suggest());
    }
  }

  const why = `${wrong} is no account address: it has 56 characters, starts with G or C, and its last ones check the others.`;
  const element = el(
    "div",
    { class: "account-choice" },
    el("h1", {}, "Account"),
    el("p", {}, "Live orders with their backing, and fills as they come."),
    addressForm(),
    ...(wrong === undefined ? [] : [el("p", { class: "field-error", role: "alert" }, why)]),
    el("h2", {}, "Traded lately"),
    makers,
    notice.element,
  );
  void suggest();
  return { element, title: "Account", close: () => ended.abort() };
}

/** With how many of the latest trades each of them made, the most first. */
async function busiestMakers(signal: AbortSignal): Promise<readonly (readonly [string, number])[]> {
  const records = await ask<readonly (Trade | Swap)[]>("/trades", { limit: TRADES }, signal);
  const counts = new Map<string, number>();
  for (const record of records) {
    if (record.type === "trade") counts.set(record.maker, (counts.get(record.maker) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, SUGGESTED);
}

function suggestion(address: string, fills: number): HTMLElement {
  const count = fills === 1 ? "1 fill" : `${fills} fills`;
  return el(
    "li",
    {},
    el("a", { href: accountLink(address) }, el("code", {}, address)),
    el("span", { class: "muted num" }, count),
  );
}

/** Leads to the account whose address is typed. */
export function addressForm(): HTMLFormElement {
  const input = el("input", {
    type: "text",
    "aria-label": "Account address",
    placeholder: "G… or C… address",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  });
  const onsubmit = (event: Event): void => {
    event.preventDefault();
    location.hash = accountLink(input.value.trim()).slice(1);
  };
  const show = el("button", { type: "submit", class: "button" }, "Show");
  return el("form", { class: "address-form", onsubmit }, input, show);
}
