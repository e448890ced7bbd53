// Rows of backing records in the JSON form that earlier versions wrote.
import { parseRow, shownBacking } from "../../src/book/backing/backing-rows.ts";
import type { TrackedEntry } from "../../src/model/ledger-delta.ts";

export type BackingRows = ReadonlyMap<string, Uint8Array>;

/** `recordFields`: how many fields those versions kept of a record; all unless told. */
export function textRows(rows: BackingRows, recordFields = Number.POSITIVE_INFINITY): BackingRows {
  return new Map(
    Array.from(rows, ([key, value]) => {
      const fields = fieldsOf(key, value);
      const kept = key.startsWith("record:") ? fields.slice(0, recordFields) : fields;
      return [key, Buffer.from(JSON.stringify(kept))];
    }),
  );
}

function fieldsOf(key: string, value: Uint8Array): readonly unknown[] {
  const row = parseRow({ key, value });
  switch (row.kind) {
    case "network":
      return [`${row.baseReserve}`];
    case "approval":
      return [row.liveUntil];
    case "entry":
      return entryFields(row.entry);
    case "record":
      break;
  }
  const { updated, answer, isConfirmed } = row.record;
  const shown = shownBacking({ key, value });
  if (shown === undefined) throw new TypeError(`a row of another form: ${key}`);
  const { backing, short } = shown;
  return [
    updated ?? null,
    answer === undefined ? null : [`${answer.balance}`, `${answer.allowance}`],
    `${backing.balance}`,
    `${backing.allowance}`,
    backing.liveUntil,
    backing.authorized ? 1 : 0,
    `${backing.budget}`,
    backing.headroom === undefined ? null : `${backing.headroom}`,
    backing.skipped ?? null,
    short === true ? 1 : 0,
    isConfirmed === true ? 1 : 0,
  ];
}

/** Amounts are texts, and all that is no amount is a number. */
function entryFields(entry: TrackedEntry | undefined): readonly unknown[] {
  switch (entry?.kind) {
    case undefined:
      return [];
    case "account": {
      const { balance, sellingLiabilities, buyingLiabilities, ...counts } = entry;
      const { subentries, sponsoring, sponsored, flags } = counts;
      const amounts = [`${balance}`, `${sellingLiabilities}`, `${buyingLiabilities}`];
      return ["account", ...amounts, subentries, sponsoring, sponsored, flags];
    }
    case "trustline": {
      const { balance, limit, sellingLiabilities, buyingLiabilities, flags } = entry;
      const liabilities = [`${sellingLiabilities}`, `${buyingLiabilities}`];
      return ["trustline", `${balance}`, `${limit}`, ...liabilities, flags];
    }
    case "balance":
      return ["balance", `${entry.amount}`, entry.authorized ? 1 : 0];
    case "allowance":
      return ["allowance", `${entry.amount}`, entry.liveUntil];
    case "token":
      return entry.asset === undefined ? ["token"] : ["token", entry.asset];
    case "eventsSetting":
      return ["eventsSetting", entry.bytesMax];
  }
}
