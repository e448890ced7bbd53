// Ledger entries of the devnet: immutable records, encoded once each.
import {
  type AssetWire,
  type ContractExecutableWire,
  LedgerEntry,
  type LedgerEntryDataWire,
  type LedgerEntryWire,
  type ScValWire,
  type TrustLineAssetWire,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../../model/address.ts";
import type { ClassicAsset } from "../asset.ts";
import type { Value } from "../contract/value.ts";
import {
  addressFromWire,
  addressWire,
  publicKeyWire,
  valueFromWire,
  valueWire,
  xdrString,
} from "./sc-val.ts";

export type IssuedAsset = Extract<ClassicAsset, { kind: "issued" }>;

/** Balances and liabilities in stroops; `sequenceTime` in UNIX seconds. */
export type AccountEntry = {
  readonly kind: "account";
  readonly account: Address;
  readonly balance: bigint;
  readonly sequence: bigint;
  readonly subentries: number;
  readonly flags: number;
  readonly buyingLiabilities: bigint;
  readonly sellingLiabilities: bigint;
  /** Reserves others pay for this account, and those it pays for others. */
  readonly sponsored: number;
  readonly sponsoring: number;
  readonly sequenceLedger: number;
  readonly sequenceTime: number;
  readonly sponsor?: Address;
};

export type TrustlineEntry = {
  readonly kind: "trustline";
  readonly account: Address;
  readonly asset: IssuedAsset;
  readonly balance: bigint;
  readonly limit: bigint;
  readonly flags: number;
  readonly buyingLiabilities: bigint;
  readonly sellingLiabilities: bigint;
  readonly sponsor?: Address;
};

export type Durability = "temporary" | "persistent";

export type DataEntry = {
  readonly kind: "data";
  readonly contract: Address;
  readonly durability: Durability;
  readonly key: Value;
  readonly value: Value;
};

/** `token`: a Stellar Asset Contract; otherwise the hash of the code. */
export type Executable =
  | { readonly kind: "token" }
  | { readonly kind: "wasm"; readonly hash: Uint8Array };

export type InstanceEntry = {
  readonly kind: "instance";
  readonly contract: Address;
  readonly executable: Executable;
  readonly storage: readonly { readonly key: ScValWire; readonly val: ScValWire }[];
};

/** How long the contract data whose key hashes to `keyHash` lives: through ledger `liveUntil`. */
export type TtlEntry = {
  readonly kind: "ttl";
  readonly keyHash: Uint8Array;
  readonly liveUntil: number;
};

export type Entry = AccountEntry | TrustlineEntry | DataEntry | InstanceEntry | TtlEntry;

/**
 * An entry as the ledger holds it, and its XDR. Each is made from the other when first asked for:
 * most entries read back from disk are never looked at, most written ones are encoded once.
 */
export class StoredEntry {
  #entry: Entry | undefined;
  #modified: number | undefined;
  #xdr: Uint8Array | undefined;

  private constructor(entry: Entry | undefined, modified: number | undefined, xdr?: Uint8Array) {
    this.#entry = entry;
    this.#modified = modified;
    this.#xdr = xdr;
  }

  /** `modified`: the ledger that writes it. */
  static written(entry: Entry, modified: number): StoredEntry {
    return new StoredEntry(entry, modified);
  }

  /** From the XDR of a LedgerEntry of a kind the devnet writes. */
  static fromXdr(xdr: Uint8Array): StoredEntry {
    return new StoredEntry(undefined, undefined, xdr);
  }

  /** Throws a TypeError for XDR of a kind the devnet does not write. */
  get entry(): Entry {
    this.#entry ??= entryFromWire(LedgerEntry.schema.decode(this.xdr));
    return this.#entry;
  }

  /** Sequence of the ledger that last wrote it: the first field of a LedgerEntry. */
  get modified(): number {
    this.#modified ??= new DataView(this.xdr.buffer, this.xdr.byteOffset).getUint32(0);
    return this.#modified;
  }

  /** XDR of the LedgerEntry. */
  get xdr(): Uint8Array {
    if (this.#xdr === undefined) {
      if (this.#entry === undefined || this.#modified === undefined) throw new Error("no entry");
      this.#xdr = LedgerEntry.schema.encode({
        lastModifiedLedgerSeq: this.#modified,
        data: entryData(this.#entry),
        ext: sponsorship(this.#entry),
      });
    }
    return this.#xdr;
  }
}

export function sponsorship(entry: Entry): LedgerEntryWire["ext"] {
  const sponsor =
    entry.kind === "account" || entry.kind === "trustline" ? entry.sponsor : undefined;
  if (sponsor === undefined) return { v: 0 };
  return { v: 1, v1: { sponsoringId: publicKeyWire(sponsor), ext: { v: 0 } } };
}

export function entryData(entry: Entry): LedgerEntryDataWire {
  switch (entry.kind) {
    case "account":
      return { type: 0, account: accountWire(entry) };
    case "trustline":
      return {
        type: 1,
        trustLine: {
          accountId: publicKeyWire(entry.account),
          asset: trustlineAssetWire(entry.asset),
          balance: entry.balance,
          limit: entry.limit,
          flags: entry.flags,
          ext: {
            v: 1,
            v1: {
              liabilities: {
                buying: entry.buyingLiabilities,
                selling: entry.sellingLiabilities,
              },
              ext: { v: 0 },
            },
          },
        },
      };
    case "data":
      return {
        type: 6,
        contractData: {
          ext: { v: 0 },
          contract: addressWire(entry.contract),
          key: valueWire(entry.key),
          durability: entry.durability === "temporary" ? 0 : 1,
          val: valueWire(entry.value),
        },
      };
    case "instance":
      return {
        type: 6,
        contractData: {
          ext: { v: 0 },
          contract: addressWire(entry.contract),
          key: { type: 20 },
          durability: 1,
          val: {
            type: 19,
            instance: {
              executable: executableWire(entry.executable),
              storage: entry.storage.length === 0 ? null : [...entry.storage],
            },
          },
        },
      };
    case "ttl":
      return { type: 9, ttl: { keyHash: entry.keyHash, liveUntilLedgerSeq: entry.liveUntil } };
  }
}

type AccountWire = Extract<LedgerEntryDataWire, { type: 0 }>["account"];
const MASTER_ONLY = new Uint8Array([1, 0, 0, 0]);

function accountWire(entry: AccountEntry): AccountWire {
  return {
    accountId: publicKeyWire(entry.account),
    balance: entry.balance,
    seqNum: entry.sequence,
    numSubEntries: entry.subentries,
    inflationDest: null,
    flags: entry.flags,
    homeDomain: xdrString(""),
    thresholds: MASTER_ONLY,
    signers: [],
    ext: {
      v: 1,
      v1: {
        liabilities: { buying: entry.buyingLiabilities, selling: entry.sellingLiabilities },
        ext: {
          v: 2,
          v2: {
            numSponsored: entry.sponsored,
            numSponsoring: entry.sponsoring,
            signerSponsoringIDs: [],
            ext: {
              v: 3,
              v3: {
                ext: { v: 0 },
                seqLedger: entry.sequenceLedger,
                seqTime: BigInt(entry.sequenceTime),
              },
            },
          },
        },
      },
    },
  };
}

function executableWire(executable: Executable): ContractExecutableWire {
  return executable.kind === "token" ? { type: 1 } : { type: 0, wasmHash: executable.hash };
}

function assetCode(code: string): Uint8Array {
  const bytes = new Uint8Array(code.length <= 4 ? 4 : 12);
  bytes.set(Buffer.from(code, "ascii"));
  return bytes;
}

/** Codes have 1 to 12 characters; the caller checks them. */
function issuedWire(asset: IssuedAsset): Extract<AssetWire, { type: 1 | 2 }> {
  const assetAndIssuer = { assetCode: assetCode(asset.code), issuer: publicKeyWire(asset.issuer) };
  return asset.code.length <= 4
    ? { type: 1, alphaNum4: assetAndIssuer }
    : { type: 2, alphaNum12: assetAndIssuer };
}

export function assetWire(asset: ClassicAsset): AssetWire {
  return asset.kind === "native" ? { type: 0 } : issuedWire(asset);
}

export function trustlineAssetWire(asset: IssuedAsset): TrustLineAssetWire {
  return issuedWire(asset);
}

function entryFromWire(wire: LedgerEntryWire): Entry {
  const { data } = wire;
  const sponsor =
    wire.ext.v === 1 && wire.ext.v1.sponsoringId !== null
      ? { sponsor: accountAddress(wire.ext.v1.sponsoringId.ed25519) }
      : {};
  if (data.type === 0) return { ...accountFromWire(data.account), ...sponsor };
  if (data.type === 1) return { ...trustlineFromWire(data.trustLine), ...sponsor };
  if (data.type === 6) return dataFromWire(data.contractData);
  if (data.type === 9) {
    return { kind: "ttl", keyHash: data.ttl.keyHash, liveUntil: data.ttl.liveUntilLedgerSeq };
  }
  throw new TypeError(`a ledger entry of type ${data.type}`);
}

function accountFromWire(wire: AccountWire): AccountEntry {
  const v1 = wire.ext.v === 1 ? wire.ext.v1 : undefined;
  const v2 = v1?.ext.v === 2 ? v1.ext.v2 : undefined;
  const v3 = v2?.ext.v === 3 ? v2.ext.v3 : undefined;
  if (v1 === undefined || v2 === undefined || v3 === undefined) {
    throw new TypeError("an account entry without its extensions");
  }
  return {
    kind: "account",
    account: accountAddress(wire.accountId.ed25519),
    balance: wire.balance,
    sequence: wire.seqNum,
    subentries: wire.numSubEntries,
    flags: wire.flags,
    buyingLiabilities: v1.liabilities.buying,
    sellingLiabilities: v1.liabilities.selling,
    sponsored: v2.numSponsored,
    sponsoring: v2.numSponsoring,
    sequenceLedger: v3.seqLedger,
    sequenceTime: Number(v3.seqTime),
  };
}

type TrustlineWire = Extract<LedgerEntryDataWire, { type: 1 }>["trustLine"];

function trustlineFromWire(wire: TrustlineWire): TrustlineEntry {
  const { asset } = wire;
  if (asset.type !== 1 && asset.type !== 2) throw new TypeError("a trustline of no issued asset");
  if (wire.ext.v !== 1) throw new TypeError("a trustline without its extension");
  const { assetCode: code, issuer } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  return {
    kind: "trustline",
    account: accountAddress(wire.accountId.ed25519),
    asset: {
      kind: "issued",
      code: Buffer.from(code).toString("ascii").replace(/\0+$/, ""),
      issuer: accountAddress(issuer.ed25519),
    },
    balance: wire.balance,
    limit: wire.limit,
    flags: wire.flags,
    buyingLiabilities: wire.ext.v1.liabilities.buying,
    sellingLiabilities: wire.ext.v1.liabilities.selling,
  };
}

type DataWire = Extract<LedgerEntryDataWire, { type: 6 }>["contractData"];

function dataFromWire(wire: DataWire): DataEntry | InstanceEntry {
  const contract = addressFromWire(wire.contract);
  if (wire.val.type === 19) {
    const { executable, storage } = wire.val.instance;
    if (executable.type === 2) throw new TypeError("a contract with an external executable");
    return {
      kind: "instance",
      contract,
      executable:
        executable.type === 1 ? { kind: "token" } : { kind: "wasm", hash: executable.wasmHash },
      storage: storage ?? [],
    };
  }
  return {
    kind: "data",
    contract,
    durability: wire.durability === 0 ? "temporary" : "persistent",
    key: valueFromWire(wire.key),
    value: valueFromWire(wire.val),
  };
}
