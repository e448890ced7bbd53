// The instance entry of a Stellar Asset Contract: what asset it wraps and who administers it.
import type { ScValWire } from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress, addressBytes } from "../../model/address.ts";
import { type ClassicAsset, NATIVE } from "../ledger/asset.ts";
import type { InstanceEntry } from "../ledger/entry.ts";
import {
  addressFromWire,
  addressWire,
  bytesWire,
  mapWire,
  stringWire,
  symbolWire,
  vecWire,
} from "../ledger/sc-val.ts";
import { assetName } from "./sac-address.ts";

type Storage = InstanceEntry["storage"];

export const DECIMALS = 7;

/** As the contract's constructor writes it. */
export function tokenInstance(token: Address, asset: ClassicAsset): InstanceEntry {
  const metadata = {
    key: symbolWire("METADATA"),
    val: mapWire([
      [symbolWire("decimal"), { type: 3, u32: DECIMALS }],
      [symbolWire("name"), stringWire(assetName(asset))],
      [symbolWire("symbol"), stringWire(symbolOf(asset))],
    ]),
  };
  const info = { key: vecWire([symbolWire("AssetInfo")]), val: assetInfo(asset) };
  const storage =
    asset.kind === "native"
      ? [metadata, info]
      : [metadata, { key: ADMIN, val: addressVal(asset.issuer) }, info];
  return { kind: "instance", contract: token, executable: { kind: "token" }, storage };
}

/** The code alone, as wallets show it. */
export function symbolOf(asset: ClassicAsset): string {
  return asset.kind === "native" ? "native" : asset.code;
}

const ADMIN = vecWire([symbolWire("Admin")]);

function addressVal(address: Address): ScValWire {
  return { type: 18, address: addressWire(address) };
}

function assetInfo(asset: ClassicAsset): ScValWire {
  if (asset.kind === "native") return vecWire([symbolWire("Native")]);
  const short = asset.code.length <= 4;
  return vecWire([
    symbolWire(short ? "AlphaNum4" : "AlphaNum12"),
    mapWire([
      [symbolWire("asset_code"), stringWire(asset.code.padEnd(short ? 4 : 12, "\0"))],
      [symbolWire("issuer"), bytesWire(addressBytes(asset.issuer))],
    ]),
  ]);
}

/** By the storage it was read from: a token is asked for its asset in every call. */
const assets = new WeakMap<Storage, ClassicAsset>();

export function assetOf(instance: InstanceEntry): ClassicAsset {
  let asset = assets.get(instance.storage);
  if (asset === undefined) {
    asset = readAsset(instance.storage);
    assets.set(instance.storage, asset);
  }
  return asset;
}

function readAsset(storage: Storage): ClassicAsset {
  const info = storage.find(({ key }) => isVariant(key, "AssetInfo"))?.val;
  const fields = info?.type === 16 ? info.vec?.[1] : undefined;
  if (fields === undefined) return NATIVE;
  const [code, issuer] = fields.type === 17 ? (fields.map ?? []).map(({ val }) => val) : [];
  if (code?.type !== 14 || issuer?.type !== 13) throw new TypeError("a token without its asset");
  return {
    kind: "issued",
    code: code.str.toString().replace(/\0+$/, ""),
    issuer: accountAddress(issuer.bytes),
  };
}

function isVariant(key: ScValWire, name: string): boolean {
  const first = key.type === 16 ? key.vec?.[0] : undefined;
  return first?.type === 15 && first.sym.toString() === name;
}

/** Undefined for the native asset, which has no administrator. */
export function adminOf(instance: InstanceEntry): Address | undefined {
  const admin = instance.storage.find(({ key }) => isVariant(key, "Admin"))?.val;
  return admin?.type === 18 ? addressFromWire(admin.address) : undefined;
}

export function withAdmin(instance: InstanceEntry, admin: Address): InstanceEntry {
  const storage = instance.storage.map((item) =>
    isVariant(item.key, "Admin") ? { key: item.key, val: addressVal(admin) } : item,
  );
  return { ...instance, storage };
}
