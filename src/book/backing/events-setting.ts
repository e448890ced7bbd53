// The network's limit of what a call writes into the ledger: followed like the entries of the records,
// whatever those are.
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import { EVENTS_MAX_DEFAULT } from "../shared-layout.ts";
import type { BackingStart } from "../step.ts";
import { entryRowKey, parseRow } from "./backing-rows.ts";
import { eventsSettingKey } from "./ledger-keys.ts";

/** The entry's key. */
export const EVENTS_SETTING = eventsSettingKey();
/** Stands among the records that need an entry: the name of none. */
export const NETWORK = "network";

/** Bytes. A network that does not say counts as the usual one. */
export function eventsMaxOf(setting: TrackedEntry | undefined): number {
  return setting?.kind === "eventsSetting" ? setting.bytesMax : EVENTS_MAX_DEFAULT;
}

/** As of the last committed ledger. */
export function storedEventsMax({ rows }: Pick<BackingStart, "rows">): number {
  const key = entryRowKey(EVENTS_SETTING);
  for (const row of rows(key)) {
    const parsed = parseRow(row);
    if (row.key === key && parsed.kind === "entry") return eventsMaxOf(parsed.entry);
  }
  return EVENTS_MAX_DEFAULT;
}
