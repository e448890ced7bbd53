// Ledgers for the ingest benches: of the public network, and the devnet's padded to a like size.
import { type Devnet, startDevnet } from "../src/devnet/devnet.ts";
import { xdrBytes } from "../src/devnet/ledger/xdr-writer.ts";
import type { Address } from "../src/model/address.ts";
import { readFixture } from "../test/ingest/ledger-fixtures.ts";

export const PUBLIC_PASSPHRASE = "Public Global Stellar Network ; September 2015";
export const DEVNET_PASSPHRASE = "Devnet of the benches";

/** As large as the public network's ledgers of 2026, most of it none of ours. */
export const LEDGER_BYTES = 1_000_000;

/** 20 ledgers in a row of the public network, protocol 26. */
export function publicLedgers(): readonly Uint8Array[] {
  return readFixture("pubnet-recent");
}

/** Transactions of the exchange's users a ledger: some hundredth of its bytes. */
export const TRANSACTIONS = 1;

export type DevnetLedgers = {
  readonly exchange: Address;
  readonly plainToken: Address;
  readonly ledgers: readonly Uint8Array[];
  /** Keys of every entry of the network at its end, base64 XDR. */
  readonly keys: readonly string[];
};

/** The devnet's last `count` ledgers, its markets full, padded to LEDGER_BYTES. */
export async function devnetLedgers(count: number): Promise<DevnetLedgers> {
  const devnet = await startDevnet({
    seed: "benches",
    passphrase: DEVNET_PASSPHRASE,
    port: 0,
    manual: true,
    startTime: 1_800_000_000,
    ledgerBytes: LEDGER_BYTES,
    transactionsPerLedger: TRANSACTIONS,
  });
  try {
    closeLedgers(devnet, PRELUDE_LEDGERS + count);
    const { ledger: last } = devnet.tip;
    const { exchange, plainToken } = devnet.network;
    const ledgers: Uint8Array[] = [];
    for (let ledger = last - count + 1; ledger <= last; ledger += 1) {
      ledgers.push(devnet.ledgerMeta(ledger));
    }
    return { exchange, plainToken, ledgers, keys: keysOf(devnet) };
  } finally {
    await devnet.stop();
  }
}

/** Ledgers in which the devnet opens its markets and fills its books (its small scale). */
export const PRELUDE_LEDGERS = 40;

export function closeLedgers(devnet: Devnet, count: number): void {
  for (let closed = 0; closed < count; closed += 1) devnet.closeLedger();
}

/** LedgerEntryType of accounts, trustlines and contract data, which can be followed. */
const FOLLOWED_TYPES: readonly number[] = [0, 1, 6];

function keysOf(devnet: Devnet): readonly string[] {
  const keys: string[] = [];
  for (const [key] of devnet.chain.state.entries()) {
    const xdr = xdrBytes(key);
    if (FOLLOWED_TYPES.includes(xdr.readInt32BE(0))) keys.push(xdr.toString("base64"));
  }
  return keys;
}
