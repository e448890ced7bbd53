// Index entries of each record. A filtered page is one range of one index, for every combination of filters,
// so that it costs the same at any depth and in any history.

import type { Address } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import type { Swap, Trade } from "../model/trade.ts";
import { indexPrefix } from "./keys.ts";
import type { OrderRecord } from "./order-record.ts";

/** Tags of the indexes: the first byte of their keys. */
const BY_ACCOUNT = 1;
const BY_PAIR = 2;
const BY_ACCOUNT_PAIR = 3;
const BY_ASSET = 4;
const BY_ACCOUNT_ASSET = 5;
const BY_FN = 6;
const BY_ACCOUNT_FN = 7;

/** Finds or gives the number of an address. */
type Numbering = (address: Address) => number;

export const byAccount = (account: number): Buffer => indexPrefix(BY_ACCOUNT, account);
export const byAsset = (asset: number): Buffer => indexPrefix(BY_ASSET, asset);
export const byAccountAsset = (account: number, asset: number): Buffer =>
  indexPrefix(BY_ACCOUNT_ASSET, account, asset);

/** Pairs are filed without orientation. */
export function byPair(one: number, other: number): Buffer {
  return indexPrefix(BY_PAIR, Math.min(one, other), Math.max(one, other));
}

export function byAccountPair(account: number, one: number, other: number): Buffer {
  return indexPrefix(BY_ACCOUNT_PAIR, account, Math.min(one, other), Math.max(one, other));
}

/** Names are closed by a zero byte: no entry of a longer name lies between those of a shorter. */
export function byFn(fn: string): Buffer {
  return Buffer.concat([indexPrefix(BY_FN), Buffer.from(`${fn}\0`)]);
}

export function byAccountFn(account: number, fn: string): Buffer {
  return Buffer.concat([indexPrefix(BY_ACCOUNT_FN, account), Buffer.from(`${fn}\0`)]);
}

export function liveEntries(record: OrderRecord, number: Numbering): readonly Buffer[] {
  const owner = number(record.owner);
  const selling = number(record.selling);
  const buying = number(record.buying);
  return [
    byAccount(owner),
    byPair(selling, buying),
    byAccountPair(owner, selling, buying),
    byAsset(selling),
    byAsset(buying),
    byAccountAsset(owner, selling),
    byAccountAsset(owner, buying),
  ];
}

export function archiveEntries(record: OrderRecord, number: Numbering): readonly Buffer[] {
  const owner = number(record.owner);
  const selling = number(record.selling);
  const buying = number(record.buying);
  return [byAccount(owner), byPair(selling, buying), byAccountPair(owner, selling, buying)];
}

export function tradeEntries(record: Trade | Swap, number: Numbering): readonly Buffer[] {
  const one = number(record.soldAsset);
  const other = number(record.boughtAsset);
  const trader = number(record.type === "swap" ? record.trader : record.taker);
  const entries = [byPair(one, other), byAccount(trader), byAccountPair(trader, one, other)];
  if (record.type === "swap" || record.maker === record.taker) return entries;
  const maker = number(record.maker);
  entries.push(byAccount(maker), byAccountPair(maker, one, other));
  return entries;
}

export function failureEntries(record: Failure, number: Numbering): readonly Buffer[] {
  const accounts = new Set([record.caller]);
  if (record.transfer !== undefined) accounts.add(record.transfer.from).add(record.transfer.to);
  return [
    byFn(record.fn),
    ...[...accounts].flatMap((account) => [
      byAccount(number(account)),
      byAccountFn(number(account), record.fn),
    ]),
  ];
}
