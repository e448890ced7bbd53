// Keys of the ledger entries that decide what stands behind an owner (LedgerKey, base64 XDR).
// Written byte by byte: the SDK's classes cost the main thread more than all the rest of a record,
// and its start more still.
import { type Address, addressBytes, isContract } from "../../model/address.ts";

/** Discriminants of the XDR unions. */
const LedgerKeyType = { account: 0, trustline: 1, contractData: 6, configSetting: 8 } as const;
const ScValType = { symbol: 15, vec: 16, map: 17, address: 18, instanceKey: 20 } as const;
const AssetType = { alphanum4: 1, alphanum12: 2 } as const;
const Durability = { temporary: 0, persistent: 1 } as const;

/** The network's limit of what the events and the return value of a call take (CONFIG_SETTING_CONTRACT_EVENTS_V0). */
export function eventsSettingKey(): string {
  return text([uint32(LedgerKeyType.configSetting), uint32(4)]);
}

/** A token contract's instance: whether it is a Stellar Asset Contract, and of which asset. */
export function instanceKey(token: Address): string {
  return dataKey(token, [uint32(ScValType.instanceKey)], Durability.persistent);
}

export function accountKey(owner: Address): string {
  return text([uint32(LedgerKeyType.account), accountId(owner)]);
}

export function trustlineKey(
  owner: Address,
  asset: { readonly code: string; readonly issuer: Address },
): string {
  const { code, issuer } = asset;
  const isShort = code.length <= 4;
  return text([
    uint32(LedgerKeyType.trustline),
    accountId(owner),
    uint32(isShort ? AssetType.alphanum4 : AssetType.alphanum12),
    Buffer.from(code.padEnd(isShort ? 4 : 12, "\0"), "latin1"),
    accountId(issuer),
  ]);
}

/** The balance a contract holds of a Stellar Asset Contract's asset. */
export function balanceKey(token: Address, owner: Address): string {
  const key = vec([symbol("Balance"), addressValue(owner)]);
  return dataKey(token, [key], Durability.persistent);
}

/** What `owner` lets `spender` take of a Stellar Asset Contract's asset. */
export function allowanceKey(token: Address, owner: Address, spender: Address): string {
  const parties = map([
    [symbol("from"), addressValue(owner)],
    [symbol("spender"), addressValue(spender)],
  ]);
  return dataKey(token, [vec([symbol("Allowance"), parties])], Durability.temporary);
}

function dataKey(contract: Address, key: readonly Buffer[], durability: number): string {
  return text([
    uint32(LedgerKeyType.contractData),
    scAddress(contract),
    ...key,
    uint32(durability),
  ]);
}

function text(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString("base64");
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function vec(items: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(ScValType.vec), PRESENT, uint32(items.length), ...items]);
}

function map(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer {
  return Buffer.concat([uint32(ScValType.map), PRESENT, uint32(entries.length), ...entries.flat()]);
}

/** Of a length that needs padding to 4 bytes, or not. */
function symbol(name: string): Buffer {
  const padded = Buffer.alloc(Math.ceil(name.length / 4) * 4);
  padded.write(name, "latin1");
  return Buffer.concat([uint32(ScValType.symbol), uint32(name.length), padded]);
}

function addressValue(of: Address): Buffer {
  return Buffer.concat([uint32(ScValType.address), scAddress(of)]);
}

/** ScAddress: an account's holds its public key, whose type is 0 as well. */
function scAddress(of: Address): Buffer {
  return isContract(of)
    ? Buffer.concat([uint32(1), addressBytes(of)])
    : Buffer.concat([uint32(0), accountId(of)]);
}

/** AccountID: a public key of type 0, ed25519. */
function accountId(of: Address): Buffer {
  return Buffer.concat([uint32(0), addressBytes(of)]);
}

/** The option of a vec's or a map's content. */
const PRESENT = uint32(1);
