// A small ledger with the entries that decide backing, its whole past, and a plain reading of the
// table of holders: what the records of the book are held against.

import {
  accountKey,
  allowanceKey,
  balanceKey,
  eventsSettingKey,
  instanceKey,
  trustlineKey,
} from "../../src/book/backing/ledger-keys.ts";
import type { Address } from "../../src/model/address.ts";
import { accountAddress, contractAddress } from "../../src/model/address.ts";
import type { TrackedEntry } from "../../src/model/ledger-delta.ts";
import type { Random } from "../support/random-ledgers.ts";

const account = (number: number) => accountAddress(new Uint8Array(32).fill(number));
const contract = (number: number) => contractAddress(new Uint8Array(32).fill(number));

export const EXCHANGE = contract(1);
export const ISSUER = account(10);
const STRICT_ISSUER = account(11);
export const NATIVE = contract(20);
export const ISSUED = contract(21);
export const STRICT = contract(22);
export const TOKENS = [NATIVE, ISSUED, STRICT] as const;
/** Accounts, an issuer and a contract. */
export const OWNERS = [account(2), account(3), account(4), ISSUER, contract(5)] as const;

const SETTING = eventsSettingKey();

const ASSETS = new Map<Address, { code: string; issuer: Address }>([
  [ISSUED, { code: "AAA", issuer: ISSUER }],
  [STRICT, { code: "LONGCODE", issuer: STRICT_ISSUER }],
]);

export type Snapshot = {
  readonly entries: ReadonlyMap<string, TrackedEntry>;
  readonly baseReserve: number;
};

export type WorldChange = { readonly key: string; readonly entry?: TrackedEntry };

/** Snapshots by ledger, from `first` on. */
export class World {
  readonly snapshots = new Map<number, Snapshot>();
  ledger: number;

  constructor(first: number) {
    this.ledger = first;
    const entries = new Map<string, TrackedEntry>([
      [instanceKey(NATIVE), { kind: "token", asset: "native" }],
      [instanceKey(ISSUED), { kind: "token", asset: `AAA:${ISSUER}` }],
      [instanceKey(STRICT), { kind: "token", asset: `LONGCODE:${STRICT_ISSUER}` }],
    ]);
    this.snapshots.set(first, { entries, baseReserve: 100 });
  }

  at(ledger: number): Snapshot {
    const snapshot = this.snapshots.get(ledger);
    if (snapshot === undefined) throw new RangeError(`no ledger ${ledger}`);
    return snapshot;
  }

  /** Closes a ledger of random changes and returns them in order. */
  close(random: Random): readonly WorldChange[] {
    const last = this.at(this.ledger);
    this.ledger += 1;
    const entries = new Map(last.entries);
    const changes: WorldChange[] = [];
    for (let count = random(6); count > 0; count -= 1) {
      const change = randomChange(random, this.ledger, entries);
      if (change.entry === undefined && !entries.has(change.key)) continue;
      changes.push(change);
      if (change.entry === undefined) entries.delete(change.key);
      else entries.set(change.key, change.entry);
    }
    const baseReserve = random(20) === 0 ? 50 + random(200) : last.baseReserve;
    this.snapshots.set(this.ledger, { entries, baseReserve });
    return changes;
  }
}

function randomChange(
  random: Random,
  ledger: number,
  entries: ReadonlyMap<string, TrackedEntry>,
): WorldChange {
  const owner = OWNERS[random(OWNERS.length)] ?? ISSUER;
  const token = TOKENS[random(TOKENS.length)] ?? NATIVE;
  const asset = ASSETS.get(token);
  const isGone = random(6) === 0;
  if (random(3) === 0) {
    const key = allowanceKey(token, owner, EXCHANGE);
    const entry = {
      kind: "allowance",
      amount: BigInt(random(1000)),
      liveUntil: ledger + random(12) - 2,
    } as const;
    const present = entries.get(key);
    // Only a lapsed allowance can leave the ledger.
    const isLapsed = present?.kind === "allowance" && present.liveUntil < ledger;
    return isGone && isLapsed ? { key } : { key, entry };
  }
  if (random(15) === 0) {
    return { key: SETTING, entry: { kind: "eventsSetting", bytesMax: random(2 ** 32) } };
  }
  if (random(12) === 0) return { key: accountKey(STRICT_ISSUER), entry: accountOf(random) };
  if (owner.startsWith("C")) {
    const entry = {
      kind: "balance",
      amount: BigInt(random(1000)),
      authorized: random(4) > 0,
    } as const;
    return { key: balanceKey(token, owner), entry };
  }
  if (asset === undefined || asset.issuer === owner) {
    return isGone
      ? { key: accountKey(owner) }
      : { key: accountKey(owner), entry: accountOf(random) };
  }
  const key = trustlineKey(owner, asset);
  if (isGone) return { key };
  const amounts = { balance: BigInt(random(1000)), limit: BigInt(random(2000)) };
  const [selling, buying] = [BigInt(random(300)), BigInt(random(300))];
  const liabilities = { sellingLiabilities: selling, buyingLiabilities: buying };
  return { key, entry: { kind: "trustline", ...amounts, ...liabilities, flags: random(8) } };
}

function accountOf(random: Random): TrackedEntry {
  return {
    kind: "account",
    balance: BigInt(random(3000)),
    sellingLiabilities: BigInt(random(200)),
    buyingLiabilities: BigInt(random(200)),
    subentries: random(4),
    sponsoring: random(3),
    sponsored: random(3),
    flags: random(16),
  };
}

/** Whether the native balance of an account is below its selling liabilities and reserve. */
export function isBelowReserve(world: World, ledger: number, who: Address, token: Address) {
  const { entries, baseReserve } = world.at(ledger);
  const own = token === NATIVE && who.startsWith("G") ? entries.get(accountKey(who)) : undefined;
  if (own?.kind !== "account") return false;
  const reserves = 2 + own.subentries + own.sponsoring - own.sponsored;
  return own.balance < own.sellingLiabilities + BigInt(reserves * baseReserve);
}

/** What the network's setting of events says; undefined: it has none. */
export function eventsSettingOf(world: World, ledger: number): number | undefined {
  const setting = world.at(ledger).entries.get(SETTING);
  return setting?.kind === "eventsSetting" ? setting.bytesMax : undefined;
}

export type PlainBacking = {
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly liveUntil: number;
  readonly authorized: boolean;
  readonly budget: bigint;
  readonly headroom: bigint | undefined;
};

/** What stands behind an owner in a token at the end of a ledger. */
export function plainBacking(world: World, ledger: number, who: Address, token: Address) {
  const { entries, baseReserve } = world.at(ledger);
  const asset = ASSETS.get(token);
  const grant = entries.get(allowanceKey(token, who, EXCHANGE));
  const granted =
    grant?.kind === "allowance" && grant.liveUntil >= ledger && grant.amount > 0n
      ? grant
      : { amount: 0n, liveUntil: 0 };
  let balance = 0n;
  let authorized = false;
  let headroom: bigint | undefined;
  if (who.startsWith("C")) {
    const held = entries.get(balanceKey(token, who));
    const issuer = entries.get(accountKey(asset?.issuer ?? ISSUER));
    if (held?.kind === "balance") [balance, authorized] = [held.amount, held.authorized];
    else authorized = asset === undefined || (issuer?.kind === "account" && issuer.flags % 2 === 0);
  } else if (asset === undefined) {
    const own = entries.get(accountKey(who));
    if (own?.kind === "account") {
      const reserves = BigInt(2 + own.subentries + own.sponsoring - own.sponsored);
      balance = own.balance - own.sellingLiabilities - reserves * BigInt(baseReserve);
      authorized = true;
    }
  } else if (asset.issuer === who) {
    [balance, authorized] = [9223372036854775807n, true];
  } else {
    const line = entries.get(trustlineKey(who, asset));
    headroom = 0n;
    if (line?.kind === "trustline") {
      balance = line.balance - line.sellingLiabilities;
      headroom = line.limit - line.balance - line.buyingLiabilities;
      authorized = line.flags % 2 === 1;
    }
  }
  if (balance < 0n) balance = 0n;
  if (headroom !== undefined && headroom < 0n) headroom = 0n;
  const least = balance < granted.amount ? balance : granted.amount;
  const budget = authorized ? least : 0n;
  return {
    balance,
    allowance: granted.amount,
    liveUntil: granted.liveUntil,
    authorized,
    budget,
    headroom,
  } satisfies PlainBacking;
}
