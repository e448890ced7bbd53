// Foreign transactions, which have nothing to do with the exchange and make up most of a public network's
// ledgers. They are made once, on a small network of their own, and repeated with other sequence numbers and
// so other hashes.
import type { ScAddressWire, ScValWire } from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress, contractAddress } from "../model/address.ts";
import { addressValue, i128, VOID } from "./contract/value.ts";
import type { TransactionIntent } from "./intent.ts";
import type { AppliedTransaction } from "./ledger/apply.ts";
import { type ClassicAsset, type IssuedAsset, NATIVE } from "./ledger/asset.ts";
import { bytesOf, Chain, type Foreign } from "./ledger/chain.ts";
import type { Frame } from "./ledger/frame.ts";
import {
  EVENTS_SETTING_ENTRY,
  GENESIS_LEDGER,
  type Genesis,
  genesisTip,
  writeGenesis,
} from "./ledger/genesis.ts";
import { sha256 } from "./ledger/hash.ts";
import type { CodeOf } from "./ledger/invocation.ts";
import type { LedgerTransaction } from "./ledger/ledger-meta.ts";
import { newAccount, newTrustline, wasmInstance } from "./ledger/new-entry.ts";
import { addressWire, stringWire, symbolWire, u64Wire, valueWire } from "./ledger/sc-val.ts";
import { LedgerState } from "./ledger/state.ts";
import { runSac } from "./tokens/sac.ts";
import { tokenAddress } from "./tokens/sac-address.ts";
import { tokenInstance } from "./tokens/sac-instance.ts";

const ACCOUNTS = 40;
const PAYMENTS = 90;
const CALLS = 30;
/** Base units. */
const BALANCE = 10n ** 15n;
const CODE = sha256("code of a contract of others");
/**
 * Sequence of the ledger the templates come from: its four bytes occur nowhere else in them, so
 * that they can be found and replaced by the sequence of the ledger that takes the template.
 */
const TEMPLATE_LEDGER = 0x7e_d1_c6_b5;

/** Fills ledgers to about `ledgerBytes`. The same seed gives the same transactions. */
export function foreignTransactions(
  seed: string,
  passphrase: string,
  ledgerBytes: number,
): Foreign {
  const networkId = sha256(passphrase);
  const templates = makeTemplates(seed, passphrase).map((applied) => new Template(applied));
  return (ledger, ownBytes) => {
    const filled: LedgerTransaction[] = [];
    let bytes = ownBytes;
    for (let at = 0; bytes < ledgerBytes; at += 1) {
      const template = templates[(ledger * PAYMENTS + at) % templates.length];
      if (template === undefined) throw new Error("no transactions of others");
      filled.push(template.at(ledger, at, networkId));
      bytes += template.bytes;
    }
    return filled;
  };
}

/** Envelope: type, then the transaction: source (36 bytes), fee (4), sequence number. */
const TYPE_BYTES = 4;
const SEQUENCE_AT = TYPE_BYTES + 36 + 4;
/** Its list of one signature: length, hint, length and 64 bytes. */
const SIGNATURES_BYTES = 4 + 4 + 4 + 64;
/** TransactionResultMetaV1 begins with an extension and the transaction's hash. */
const META_HASH_AT = 4;
const TX = new Uint8Array([0, 0, 0, 2]);

class Template {
  readonly bytes: number;
  readonly #applied: AppliedTransaction;
  readonly #ledgerAt: readonly number[];

  constructor(applied: AppliedTransaction) {
    this.#applied = applied;
    this.bytes = bytesOf(applied);
    this.#ledgerAt = findSequence(Buffer.from(applied.meta));
  }

  /** The `count`th transaction of others in `ledger`. */
  at(ledger: number, count: number, networkId: Uint8Array): LedgerTransaction {
    const { envelope, resultPair, meta, ...same } = this.#applied;
    const xdr = Buffer.from(envelope.xdr);
    xdr.writeBigInt64BE((BigInt(ledger) << 32n) + BigInt(count), SEQUENCE_AT);
    const transaction = xdr.subarray(TYPE_BYTES, xdr.length - SIGNATURES_BYTES);
    const hash = sha256(networkId, TX, transaction);
    const pair = Buffer.from(resultPair);
    pair.set(hash, 0);
    const own = Buffer.from(meta);
    own.set(hash, META_HASH_AT);
    for (const at of this.#ledgerAt) own.writeUInt32BE(ledger, at);
    return { ...same, envelope: { xdr, hash }, resultPair: pair, meta: own };
  }
}

function findSequence(meta: Buffer): number[] {
  const needle = Buffer.alloc(4);
  needle.writeUInt32BE(TEMPLATE_LEDGER);
  const found: number[] = [];
  for (let at = meta.indexOf(needle); at >= 0; at = meta.indexOf(needle, at + 4)) found.push(at);
  return found;
}

type Others = {
  readonly accounts: readonly Address[];
  readonly asset: IssuedAsset;
  readonly contract: Address;
};

function makeTemplates(seed: string, passphrase: string): readonly AppliedTransaction[] {
  const bytes = (name: string): Uint8Array => sha256(`${seed}/others/${name}`);
  const others: Others = {
    accounts: Array.from({ length: ACCOUNTS }, (_, at) => accountAddress(bytes(`account/${at}`))),
    asset: { kind: "issued", code: "AQUA", issuer: accountAddress(bytes("issuer")) },
    contract: contractAddress(bytes("contract")),
  };
  const genesis = othersGenesis(others, passphrase);
  const state = new LedgerState();
  writeGenesis(state, genesis);
  const codeOf: CodeOf = (executable) =>
    executable.kind === "token"
      ? { native: true, run: runSac }
      : { native: false, run: (frame, fn) => noise(frame, fn, others) };
  const tip = { ...genesisTip(genesis), ledger: TEMPLATE_LEDGER - 1 };
  const options = { passphrase, codeOf, exchange: others.contract, diagnostics: true };
  const chain = new Chain(options, tip, state);
  return chain.close([...payments(others), ...calls(others, chain)], genesis.closeTime)
    .transactions;
}

function othersGenesis({ accounts, asset, contract }: Others, passphrase: string): Genesis {
  const holders = accounts.slice(1);
  return {
    passphrase,
    protocol: 27,
    closeTime: 1,
    baseReserve: 5_000_000,
    entries: [
      ...holders.map((of) => ({ ...newTrustline(of, asset, 0), balance: BALANCE })),
      ...[...accounts, asset.issuer].map((of) => ({
        ...newAccount(of, BALANCE, GENESIS_LEDGER),
        subentries: holders.includes(of) ? 1 : 0,
      })),
      EVENTS_SETTING_ENTRY,
      ...[NATIVE, asset].map((one) => tokenInstance(tokenAddress(one, sha256(passphrase)), one)),
      wasmInstance(contract, CODE),
    ],
  };
}

/** Payments in both assets; every third wants more than there is. */
function payments({ accounts, asset }: Others): TransactionIntent[] {
  return Array.from({ length: PAYMENTS }, (_, at): TransactionIntent => {
    const paid: ClassicAsset = at % 2 === 0 ? NATIVE : asset;
    return {
      kind: "payment",
      source: pick(accounts, at),
      to: pick(accounts, at + 7),
      asset: paid,
      amount: at % 3 === 2 ? 2n * BALANCE : BigInt(1_000 + at),
    };
  });
}

function calls({ accounts, asset, contract }: Others, chain: Chain): TransactionIntent[] {
  return Array.from({ length: CALLS }, (_, at): TransactionIntent => {
    const source = pick(accounts, at);
    const to = pick(accounts, at + 3);
    const transfer = [addressValue(source), addressValue(to), i128(BigInt(at + 1))];
    return at % 2 === 0
      ? { kind: "call", source, contract: chain.tokenOf(asset), fn: "transfer", args: transfer }
      : { kind: "call", source, contract, fn: pick(NOISES, at >> 1), args: [] };
  });
}

const NOISES = ["swap", "claim", "deposit", "vault"] as const;

/** Events of kinds that readers of public networks meet rarely: other kinds of addresses and data. */
function noise(frame: Frame, fn: string, { accounts, asset }: Others) {
  const account = pick(accounts, 0);
  const issued = stringWire(`${asset.code}:${asset.issuer}`);
  const address = (wire: ScAddressWire): ScValWire => ({ type: 18, address: wire });
  const holder = address(addressWire(account));
  const amount = valueWire(i128(12_345n));
  if (fn === "swap") {
    frame.emitEvent([stringWire("SoroswapPair"), symbolWire("swap")], amount);
  } else if (fn === "claim") {
    const balance = address({ type: 3, claimableBalanceId: { type: 0, v0: sha256("balance") } });
    frame.emitEvent([symbolWire("transfer"), holder, balance, issued], amount);
  } else if (fn === "deposit") {
    const pool = address({ type: 4, liquidityPoolId: sha256("pool") });
    const muxed: ScValWire = {
      type: 17,
      map: [
        { key: symbolWire("amount"), val: amount },
        { key: symbolWire("to_muxed_id"), val: u64Wire(42n) },
      ],
    };
    frame.emitEvent([symbolWire("transfer"), holder, pool, issued], muxed);
  } else {
    frame.emitEvent([symbolWire("new"), stringWire("DeFindexVault")], holder);
  }
  return VOID;
}

function pick<T>(items: readonly T[], at: number): T {
  const item = items[at % items.length];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}
