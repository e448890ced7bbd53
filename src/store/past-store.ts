// Read-only access of tools to one state of a store, beside the engine that writes it or in a backup.
import { storeFolder } from "./data-folder.ts";
import { checkWhole } from "./file-check.ts";
import { otherSchema, readStoreState, SCHEMA_VERSION } from "./identity.ts";
import { StoreError } from "./store-error.ts";
import { StoreReader } from "./store-reader.ts";

export type PastStore = Pick<
  StoreReader,
  "history" | "candles" | "orderEvents" | "backingRows" | "close"
> & {
  readonly ledger: number;
  readonly networkPassphrase: string;
};

/** Rejects with a StoreError where the folder holds no store, or one without order events. */
export async function openPastStore(dataDir: string): Promise<PastStore> {
  const path = storeFolder(dataDir);
  await checkWhole(path, "quick");
  const { networkPassphrase, schema } = readStoreState(path);
  if (schema !== SCHEMA_VERSION) {
    throw otherSchema(path, schema);
  }
  const reader = await StoreReader.open(path);
  const { history, candles, orderEvents } = reader;
  const ledger = reader.cursor()?.ledger;
  if (ledger === undefined) {
    await reader.close();
    throw new StoreError("unavailable", `the store in ${path} holds no ledger`);
  }
  return {
    ledger,
    networkPassphrase,
    ...{ history, candles, orderEvents },
    backingRows: (prefix) => reader.backingRows(prefix),
    close: () => reader.close(),
  };
}
