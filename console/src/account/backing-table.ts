// What stands behind an account's orders, token by token.
import type { Backing } from "../../../src/api/types.ts";
import { el } from "../dom.ts";
import { amountText } from "../number/amount.ts";
import { shortened } from "../number/decimal.ts";
import { Notice } from "../page/panel.ts";
import { type Assets, shortAddress } from "../state/assets.ts";

/** Allowances and limits are often as good as endless: their last digits say nothing. */
const LIMIT_DIGITS = 14;

const HEADS = [
  "Token",
  "Authorized",
  "Budget",
  "Balance",
  "Allowance",
  "Until ledger",
  "Can receive",
] as const;

export type BackingTable = {
  readonly element: HTMLElement;
  readonly show: (records: ReadonlyMap<string, Backing>, loaded: boolean) => void;
};

export function backingTable(assets: Assets): BackingTable {
  const body = el("tbody");
  const notice = new Notice();
  const heads = HEADS.map((name, at) =>
    el("th", { scope: "col", class: at > 1 ? "num" : "" }, name),
  );
  const element = el(
    "div",
    { class: "backing-frame" },
    el(
      "div",
      {
        class: "table-scroll fill",
        tabindex: "0",
        role: "region",
        "aria-label": "Backing by token",
      },
      el("table", { class: "plain-table" }, el("thead", {}, el("tr", {}, ...heads)), body),
    ),
    notice.element,
  );
  let shown = "";
  return {
    element,
    show: (records, loaded) => {
      const rows = [...records.values()].map((record) => cells(record, assets));
      rows.sort(([a = ""], [b = ""]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
      const text = JSON.stringify([rows, loaded]);
      if (text === shown) return;
      shown = text;
      body.replaceChildren(...rows.map(tableRow));
      const hint =
        "Records appear with orders, and for every open market while this view is shown.";
      if (!loaded) notice.show({ kind: "loading" });
      else if (rows.length > 0) notice.show({ kind: "none" });
      else notice.show({ kind: "empty", title: "Nothing tracked", hint });
    },
  };
}

function tableRow(texts: readonly string[]): HTMLElement {
  const [token = "", ...values] = texts;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, token),
    ...values.map((text, at) => el("td", { class: at > 0 ? "num" : "state" }, text)),
  );
}

/** One text a column. */
function cells(record: Backing, assets: Assets): readonly string[] {
  const { asset, balance, allowance, budget, headroom, liveUntil, authorized } = record;
  const named = assets.name(asset) !== undefined;
  const token = named ? `${assets.label(asset)} ${shortAddress(asset)}` : shortAddress(asset);
  const short = (units: string) => shortened(amountText(units), LIMIT_DIGITS);
  if (record.updated === undefined) return [token, "loading", "…", "…", "…", "…", "…"];
  return [
    token,
    record.pending ? "pending" : authorized ? "yes" : "no",
    amountText(budget),
    amountText(balance),
    short(allowance),
    liveUntil === 0 ? "–" : liveUntil.toLocaleString("en-US"),
    headroom === undefined ? "no limit" : short(headroom),
  ];
}
