// A store as a tool reads it, beside the engine that writes it or in a backup: one state, never written.
import { AddressIds } from "./address-ids.ts";
import { CandleTable } from "./candle-table.ts";
import { storeFolder } from "./data-folder.ts";
import { checkWhole } from "./file-check.ts";
import { History } from "./history.ts";
import { SCHEMA_VERSION } from "./identity.ts";
import { indexPrefix } from "./keys.ts";
import { OrderEvents } from "./order-events.ts";
import { Snapshot } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";
import { readStoreState } from "./store-state.ts";
import { openRoot, openTable, TABLE_NAMES, type Tables, tableNames } from "./tables.ts";

export type PastStore = {
  /** The last ledger stored. */
  readonly ledger: number;
  readonly networkPassphrase: string;
  readonly history: History;
  readonly candles: CandleTable;
  readonly orderEvents: OrderEvents;
  /** The rows of the backing records whose keys begin so, by key. */
  backingRows(prefix: string): readonly { readonly key: string; readonly value: string }[];
  close(): Promise<void>;
};

/** Rejects with a StoreError where the folder holds no store, or one without order events. */
export async function openPastStore(dataDir: string): Promise<PastStore> {
  const path = storeFolder(dataDir);
  await checkWhole(path, "quick");
  const { ledger, networkPassphrase, schema } = readStoreState(path);
  if (schema !== SCHEMA_VERSION) {
    const versions = `schema ${schema}, this version reads ${SCHEMA_VERSION}: an engine that starts on it migrates it`;
    throw new StoreError("earlier_schema", `the store in ${path} has ${versions}`);
  }
  const root = openRoot(path, { readOnly: true });
  const names = tableNames(root);
  if (ledger === undefined || TABLE_NAMES.some((name) => !names.includes(name))) {
    await root.close();
    throw new StoreError(
      "unavailable",
      `the store in ${path} holds no order events: no engine of this version ran on it`,
    );
  }
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, openTable(root, name)]));
  const all = tables as Tables;
  const snapshot = new Snapshot(root);
  const ids = new AddressIds(
    {
      idOf: (bytes) => snapshot.get(all.addressIds, bytes)?.readUInt32BE(1),
      bytesOf: (id) => snapshot.get(all.addresses, indexPrefix(0, id)),
    },
    0,
  );
  return {
    ledger,
    networkPassphrase,
    history: new History(all, snapshot, ids),
    candles: new CandleTable(all, snapshot, ids),
    orderEvents: new OrderEvents(all, snapshot, ids, Number.POSITIVE_INFINITY),
    backingRows: (prefix) => {
      // 0xff is no byte of a key.
      const [start, end] = [Buffer.from(prefix), Buffer.from(`${prefix}\xff`, "latin1")];
      const rows = snapshot.entries(all.backing, { start, end });
      return rows.map(({ key, value }) => ({ key: key.toString(), value: value.toString() }));
    },
    close: async () => {
      snapshot.release();
      await root.close();
    },
  };
}
