// What stands behind an account's orders, token by token.
import type { Backing } from "../../../src/api/types.ts";
import { el } from "../dom.ts";
import { amountText, shortAmount } from "../number/amount.ts";
import { Notice } from "../page/panel.ts";
import { plainTable } from "../page/plain-table.ts";
import { type Assets, shortAddress } from "../state/assets.ts";

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
  const heads = HEADS.map((name, at) => ({ name, numeric: at > 1 }));
  const element = el(
    "div",
    { class: "backing-frame" },
    plainTable("Backing by token", heads, body, "fill"),
    notice.element,
  );
  let shown = "";
  return {
    element,
    show: (records, loaded) => {
      const rows = [...records.values()].map((record) => cells(record, assets));
      const name = (row: readonly Cell[]) => row[0]?.text.toLowerCase() ?? "";
      rows.sort((a, b) => (name(a) < name(b) ? -1 : 1));
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

type Cell = { readonly text: string; readonly exact?: string };

function tableRow([token, ...values]: readonly Cell[]): HTMLElement {
  return el(
    "tr",
    {},
    el("th", { scope: "row", title: token?.exact }, token?.text ?? ""),
    ...values.map(({ text, exact }, at) =>
      el(
        "td",
        { class: at > 0 ? "num" : "state", title: exact, "data-label": HEADS[at + 1] },
        text,
      ),
    ),
  );
}

/** One a column. */
function cells(record: Backing, assets: Assets): readonly Cell[] {
  const { asset, balance, allowance, budget, headroom, liveUntil, authorized } = record;
  const named = assets.name(asset) !== undefined;
  const token = {
    text: named ? `${assets.label(asset)} ${shortAddress(asset)}` : shortAddress(asset),
    exact: assets.fullName(asset) ?? asset,
  };
  const amount = (units: string) => ({ text: shortAmount(units), exact: amountText(units) });
  if (record.updated === undefined) {
    return [token, { text: "loading" }, ...Array.from({ length: 5 }, () => ({ text: "…" }))];
  }
  return [
    token,
    { text: record.pending ? "pending" : authorized ? "yes" : "no" },
    amount(budget),
    amount(balance),
    amount(allowance),
    { text: liveUntil === 0 ? "–" : liveUntil.toLocaleString("en-US") },
    headroom === undefined ? { text: "no limit" } : amount(headroom),
  ];
}
