// What happened to an account, page by page: its orders that are gone, its fills and its failed calls.
import type { Failure, Order, Swap, Trade } from "../../../src/api/types.ts";
import { ask, type Parameters } from "../api/rest.ts";
import { type Child, el } from "../dom.ts";
import { amountText, shortAmount } from "../number/amount.ts";
import { compact } from "../number/decimal.ts";
import { accountView } from "../page/address.ts";
import { copyButton } from "../page/copy-button.ts";
import { type Column, type Page, PagedTable } from "../page/paged-table.ts";
import { timeText, zone } from "../page/time.ts";
import { marketLink } from "../route.ts";
import { shortAddress } from "../state/assets.ts";
import { type Oriented, orientedOrder } from "../state/orientation.ts";
import type { Sources } from "../view.ts";
import { type AccountFill, fillsOf } from "./account-fills.ts";
import { failureWords } from "./failure-words.ts";

const DIGITS = 8;
/** Records of a page. */
const PAGE_RECORDS = 50;

export function orderHistory({ assets }: Sources, owner: string): PagedTable<Order> {
  const seen = (order: Order) => orientedOrder(order, order.amount);
  return new PagedTable<Order>({
    label: "Order history",
    columns: [
      time("Created", ({ created }) => created),
      ...marketColumns(assets, seen, "Left"),
      { name: "Filled", numeric: true, cell: filled },
      { name: "Status", cell: ({ status }) => STATUS[status] },
      time("Ended", ({ updated }) => updated),
      { name: "Order", cell: ({ id }) => idView("the order's ID", id) },
    ],
    load: loader("/order-history", { owner }, (order: Order) => [order]),
    empty: {
      title: "No orders yet",
      hint: "Orders that were filled, cancelled or expired are listed here.",
    },
  });
}

const STATUS: Readonly<Record<Order["status"], string>> = {
  ACTIVE: "Live",
  FILLED: "Filled",
  CANCELED: "Cancelled",
  EXPIRED: "Expired",
};

/** Of the amount at creation; an order that was changed since then may have none of it left, or more. */
function filled({ quote, amount, status }: Order): string {
  if (status === "FILLED") return "100%";
  const [first, left] = [BigInt(quote), BigInt(amount)];
  if (first === 0n || left > first) return "–";
  return `${((first - left) * 100n) / first}%`;
}

export function fills({ assets }: Sources, trader: string): PagedTable<AccountFill> {
  return new PagedTable<AccountFill>({
    label: "Fills",
    columns: [
      time("Time", ({ record }) => record.timestamp),
      ...marketColumns<AccountFill>(assets, ({ seen }) => seen, "Amount"),
      { name: "Role", cell: ({ role }) => role },
      { name: "With", cell: ({ other }) => (other === undefined ? "–" : accountView(other)) },
    ],
    load: loader("/trades", { trader }, (record: Trade | Swap) => fillsOf(record, trader)),
    empty: { title: "No fills yet", hint: "They appear here as they happen." },
  });
}

/** `account` undefined: of everybody. */
export function failures(sources: Sources, account?: string): PagedTable<Failure> {
  return new PagedTable<Failure>({
    label: "Failures",
    columns: [
      time("Time", ({ timestamp }) => timestamp),
      { name: "Call", cell: ({ fn }) => el("code", {}, fn) },
      {
        name: "What it means",
        cell: (failure) => el("span", { class: "words" }, failureWords(failure, sources)),
      },
      { name: "Caller", cell: ({ caller }) => accountView(caller) },
      { name: "Transaction", cell: ({ txHash }) => idView("the transaction's hash", txHash) },
    ],
    load: loader("/failures", account === undefined ? {} : { account }, (failure: Failure) => [
      failure,
    ]),
    empty: {
      title: "No failed calls",
      hint:
        account === undefined
          ? "Calls of the contract that fail are listed here with their cause."
          : "Calls of this account that fail, and transfers to or from it that do, are listed here.",
    },
  });
}

function time<Record>(name: string, of: (record: Record) => string): Column<Record> {
  return {
    name: `${name}, ${zone.name}`,
    // The year says nothing among the latest.
    cell: (record) => el("span", { class: "num" }, timeText(of(record)).slice("YYYY-".length)),
    title: (record) => `${timeText(of(record))} ${zone.name}`,
  };
}

function marketColumns<Record>(
  assets: Sources["assets"],
  of: (record: Record) => Oriented,
  amount: string,
): readonly Column<Record>[] {
  return [
    {
      name: "Side",
      cell: (record) => {
        const buys = of(record).side === "buy";
        return el(
          "span",
          { class: "side", "data-tone": buys ? "up" : "down" },
          buys ? "Buy" : "Sell",
        );
      },
    },
    {
      name: "Market",
      cell: (record) => {
        const { base, quote } = of(record);
        const name = `${assets.label(base)}/${assets.label(quote)}`;
        return el("a", { class: "market-name", href: marketLink(base, quote) }, name);
      },
    },
    {
      name: "Price",
      numeric: true,
      cell: (record) => compact(of(record).price, DIGITS),
      title: (record) => of(record).price,
    },
    {
      name: amount,
      numeric: true,
      cell: (record) => shortAmount(of(record).baseUnits),
      title: (record) => `${amountText(of(record).baseUnits)} ${assets.label(of(record).base)}`,
    },
    {
      name: "Total",
      numeric: true,
      cell: (record) => shortAmount(of(record).quoteUnits),
      title: (record) => `${amountText(of(record).quoteUnits)} ${assets.label(of(record).quote)}`,
    },
  ];
}

function idView(what: string, id: string): Child {
  return el(
    "span",
    { class: "address" },
    el("code", { title: id }, shortAddress(id)),
    copyButton(what, () => id),
  );
}

/** Of a list of the API, whose records have their own cursors. */
function loader<Listed extends { readonly cursor: string }, Record>(
  path: string,
  filter: Parameters,
  rows: (record: Listed) => readonly Record[],
): (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Record>> {
  return async (cursor, signal) => {
    const page = { ...filter, limit: PAGE_RECORDS, ...(cursor === undefined ? {} : { cursor }) };
    const listed = await ask<readonly Listed[]>(path, page, signal);
    const isWhole = listed.length === PAGE_RECORDS;
    return { records: listed.flatMap(rows), next: isWhole ? listed.at(-1)?.cursor : undefined };
  };
}
