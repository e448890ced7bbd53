// What a store says of itself, read without opening it for writing.
import { readIdentity, type StoreIdentity } from "./identity.ts";
import { RecordReader } from "./record-bytes.ts";
import { META_CURSOR, META_IDENTITY, openRoot, openTable, tableNames } from "./tables.ts";

export type StoreState = StoreIdentity & {
  /** A number, unless another program wrote it. */
  readonly schema: unknown;
  /** The last ledger stored; undefined before the first. */
  readonly ledger: number | undefined;
};

/** Throws a StoreError where it is no store of this program. The file has been checked. */
export function readStoreState(path: string): StoreState {
  const root = openRoot(path, { readOnly: true });
  try {
    const meta = tableNames(root).includes("meta") ? openTable(root, "meta") : undefined;
    const identity = readIdentity(path, meta?.getBinary(META_IDENTITY));
    const cursor = meta?.getBinary(META_CURSOR);
    const ledger = cursor === undefined ? undefined : new RecordReader(cursor).count();
    return { ...identity, ledger };
  } finally {
    void root.close();
  }
}
