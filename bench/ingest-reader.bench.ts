// The reader's one pass over a ledger beside the SDK's full decode, in turns on the same ledgers:
// public ones, following one in a hundred of their entries, and the devnet's of a like size, of
// which the exchange has some hundredth, following every account, trustline and contract entry.
import assert from "node:assert/strict";
import { LedgerCloseMeta } from "@stellar/stellar-sdk/xdr";
import { KeyTable } from "../src/ingest/key-table.ts";
import type { DecodeLedger, Followed } from "../src/ingest/ledger-decoder.ts";
import { walkDecoder } from "../src/ingest/walk-decoder.ts";
import { compileWalker } from "../src/ingest/xdr/compile-walker.ts";
import { type Address, address, addressBytes } from "../src/model/address.ts";
import { occurring } from "../test/ingest/occurring.ts";
import { envelopesOf, sdkDecoder } from "../test/support/sdk-decoder.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import {
  DEVNET_PASSPHRASE,
  devnetLedgers,
  PUBLIC_PASSPHRASE,
  publicLedgers,
} from "./ingest-ledgers.ts";
import { quantile } from "./quantile.ts";

/** Milliseconds for all ledgers. */
type Times = { readonly skipped: number; readonly decoded: number; readonly full: number };

type Sizes = {
  readonly publicLedgers: number;
  readonly devnetLedgers: number;
  readonly rounds: number;
  /** Of the readers in a round, against one full decode. */
  readonly runs: number;
};

const FULL: Sizes = { publicLedgers: 20, devnetLedgers: 20, rounds: 5, runs: 20 };
const TINY: Sizes = { publicLedgers: 1, devnetLedgers: 1, rounds: 1, runs: 1 };

/** On the test network: the public ledgers have none of its events. */
const EXCHANGE = address("CBJ747MKAGQO2LMJPOTCOONAWBLIIBSLOQE325R457TE5MIS6RTDJ4DC");
const FOLLOW_EVERY = 100;

export const bench: Bench = async ({ tiny }) => {
  const sizes = tiny ? TINY : FULL;
  return [...benchPublic(sizes), ...(await benchDevnet(sizes))];
};

function benchPublic(sizes: Sizes): readonly Figure[] {
  const ledgers = publicLedgers().slice(0, sizes.publicLedgers);
  const keys = new KeyTable();
  const occurringKeys = ledgers.flatMap((ledger) => occurring(ledger).keys);
  for (let at = 0; at < occurringKeys.length; at += FOLLOW_EVERY) keys.add(occurringKeys[at] ?? "");
  const options = { exchange: EXCHANGE, passphrase: PUBLIC_PASSPHRASE };
  const followed = { keys, tokens: new Set<never>() };
  check(sdkDecoder(options), walkDecoder(options), ledgers, followed);
  return figures("public", ledgers, sizes, walkDecoder(options), followed);
}

async function benchDevnet(sizes: Sizes): Promise<readonly Figure[]> {
  const { exchange, plainToken, ledgers, keys: all } = await devnetLedgers(sizes.devnetLedgers);
  const keys = new KeyTable();
  for (const key of all) keys.add(key);
  const options = { exchange, passphrase: DEVNET_PASSPHRASE };
  const followed = { keys, tokens: new Set([plainToken]) };
  const events = check(sdkDecoder(options), walkDecoder(options), ledgers, followed);
  assert.ok(events > 0);
  return [
    figure("devnet: events of the exchange", events / ledgers.length, "a ledger"),
    figure("devnet: bytes of its transactions", share(ledgers, exchange) * 100, "%"),
    ...figures("devnet", ledgers, sizes, walkDecoder(options), followed),
  ];
}

/** Of a ledger's bytes, what is metas and envelopes that name the exchange. */
function share(ledgers: readonly Uint8Array[], exchange: Address): number {
  const id = Buffer.from(addressBytes(exchange));
  const bytesOf = (value: { toXdr(): Uint8Array }): number => {
    const xdr = Buffer.from(value.toXdr());
    return xdr.includes(id) ? xdr.length : 0;
  };
  let [own, all] = [0, 0];
  for (const ledger of ledgers) {
    const meta = LedgerCloseMeta.fromXdr(ledger);
    for (const processed of meta.value.txProcessing) own += bytesOf(processed);
    for (const envelope of envelopesOf(meta)) own += bytesOf(envelope);
    all += ledger.length;
  }
  return own / all;
}

/** Both decoders give the same; returns how many events there are. */
function check(
  full: DecodeLedger,
  skipping: DecodeLedger,
  ledgers: readonly Uint8Array[],
  followed: Followed,
): number {
  let events = 0;
  for (const ledger of ledgers) {
    const expected = full(ledger, 0, followed);
    assert.deepEqual(skipping(ledger, 0, followed), expected);
    events += expected.delta.events.length;
  }
  return events;
}

function figures(
  name: string,
  ledgers: readonly Uint8Array[],
  { rounds, runs }: Sizes,
  decode: DecodeLedger,
  followed: Followed,
): readonly Figure[] {
  const bytes = ledgers.reduce((sum, { length }) => sum + length, 0);
  const skip = compileWalker(LedgerCloseMeta.schema, []);
  const times: Times[] = [];
  // In turns, so that what else the machine does meets all of them. The slow one once a round.
  for (let round = 0; round <= rounds; round += 1) {
    const skipped = timed(runs, () => {
      for (const one of ledgers) skip(new DataView(one.buffer, one.byteOffset, one.length), 0, {});
    });
    const decoded = timed(runs, () => {
      for (const one of ledgers) decode(one, 0, followed);
    });
    const full = timed(1, () => {
      for (const one of ledgers) LedgerCloseMeta.fromXdr(one);
    });
    if (round === 0) continue; // Not compiled yet.
    times.push({ skipped, decoded, full });
  }
  const median = (of: (time: Times) => number) => quantile(times.map(of), 0.5);
  const skipMs = median(({ skipped }) => skipped);
  const decodeMs = median(({ decoded }) => decoded);
  const fullMs = median(({ full }) => full);
  // Of what was measured one right after the other.
  const ratio = median(({ full, decoded }) => full / decoded);
  const bareRatio = median(({ full, skipped }) => full / skipped);
  const megabytes = bytes / 1e6;
  return [
    figure(`${name}: ledgers`, ledgers.length, "ledgers"),
    figure(`${name}: size of a ledger`, megabytes / ledgers.length, "MB"),
    figure(`${name}: reader`, (megabytes / decodeMs) * 1000, "MB/s"),
    figure(`${name}: reader, a ledger`, (ledgers.length / decodeMs) * 1000, "ledgers/s"),
    figure(`${name}: bare skipping`, (megabytes / skipMs) * 1000, "MB/s"),
    figure(`${name}: the SDK's fromXdr`, (megabytes / fullMs) * 1000, "MB/s"),
    figure(`${name}: reader to fromXdr`, ratio, "times", "100 or more"),
    figure(`${name}: bare skipping to fromXdr`, bareRatio, "times"),
  ];
}

/** Milliseconds of one run. */
function timed(runs: number, run: () => void): number {
  const began = performance.now();
  for (let count = 0; count < runs; count += 1) run();
  return (performance.now() - began) / runs;
}
