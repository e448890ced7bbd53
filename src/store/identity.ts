// Identity of a store: network, contract and schema. A store of another identity is never changed once it
// holds a ledger.
import { RecordReader } from "./record-bytes.ts";
import { StoreError } from "./store-error.ts";
import {
  META_CURSOR,
  META_IDENTITY,
  openRoot,
  openTable,
  type Table,
  tableNames,
} from "./tables.ts";

/** Raised whenever the meaning of stored bytes changes, together with a step from the one before (schema-steps.ts). */
export const SCHEMA_VERSION = 2;

export type StoreIdentity = { readonly networkPassphrase: string; readonly contract: string };

/** The bytes that name a new store. */
export function identityBytes({ networkPassphrase, contract }: StoreIdentity): Buffer {
  const identity = { program: "hopbook", schema: SCHEMA_VERSION, networkPassphrase, contract };
  return Buffer.from(JSON.stringify(identity));
}

/**
 * Throws a StoreError where a store that exists is not the wanted one. Where nothing was stored yet
 * it can become so: a first start with a wrong network leaves such a store.
 */
export function checkIdentity(path: string, wanted: StoreIdentity, meta: Table | undefined): void {
  const found = readIdentity(path, meta?.getBinary(META_IDENTITY));
  const hasNameAlone = meta?.getKeysCount() === 1;
  if (hasNameAlone) return;
  if (found.networkPassphrase !== wanted.networkPassphrase) {
    throw new StoreError(
      "other_network",
      `the store in ${path} belongs to the network "${found.networkPassphrase}"`,
    );
  }
  if (found.contract !== wanted.contract) {
    throw new StoreError(
      "other_contract",
      `the store in ${path} belongs to the contract ${found.contract}`,
    );
  }
  if (found.schema !== SCHEMA_VERSION) {
    throw otherSchema(path, found.schema);
  }
}

/** Of a store whose schema is not the present one. */
export function otherSchema(path: string, schema: unknown): StoreError {
  const isLater = typeof schema === "number" && schema > SCHEMA_VERSION;
  const what = isLater ? "is of a later version" : "is migrated by an engine that starts on it";
  return new StoreError(
    isLater ? "later_schema" : "earlier_schema",
    `the store in ${path} has schema ${schema}, this version reads ${SCHEMA_VERSION}: it ${what}`,
  );
}

/** Throws a StoreError where it is not the identity of any version's store. */
function readIdentity(path: string, bytes: Buffer | undefined) {
  if (bytes === undefined) {
    throw new StoreError("foreign", `${path} holds a database of another program`);
  }
  const { schema, networkPassphrase, contract } = parseIdentity(path, bytes);
  return {
    schema,
    networkPassphrase: String(networkPassphrase),
    contract: String(contract),
  };
}

function parseIdentity(path: string, bytes: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof parsed === "object" && parsed !== null && "schema" in parsed) return { ...parsed };
  } catch (cause) {
    throw new StoreError("damaged", `the store in ${path} has an unreadable identity`, cause);
  }
  throw new StoreError("damaged", `the store in ${path} has an unreadable identity`);
}

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
