// The walk decoder and the full one give the same, on real ledgers and on damaged ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LedgerCloseMeta } from "@stellar/stellar-sdk/xdr";
import { testContract } from "../../test/ingest/addresses.ts";
import { Damage } from "../../test/ingest/damage.ts";
import { LEDGER_FIXTURES, passphraseOf, readFixture } from "../../test/ingest/ledger-fixtures.ts";
import { occurring, occurringIn } from "../../test/ingest/occurring.ts";
import { runs } from "../../test/support/runs.ts";
import { decodeMeta, sdkDecoder } from "../../test/support/sdk-decoder.ts";
import type { Address } from "../model/address.ts";
import { IngestError } from "./ingest-error.ts";
import { KeyTable } from "./key-table.ts";
import type { DecodeLedger, DecoderOptions } from "./ledger-decoder.ts";
import { walkDecoder } from "./walk-decoder.ts";

const exchange = testContract(1);

/** Of the long lists of real ledgers every sixth is read in the usual run; all of them with six times its cases. */
const STEP = Math.max(1, Math.round(6 / runs(1)));
const SHORT_LIST_MAX = 40;

/** Contracts of a ledger taken as the exchange, one after the other, of each of two lists. */
const CONTRACTS_MAX = Math.ceil(runs(1) / 5);

for (const fixture of LEDGER_FIXTURES) {
  test(`both decoders agree on real ledgers of ${fixture}`, () => {
    const passphrase = passphraseOf(fixture);
    let entries = 0;
    let failures = 0;
    const ledgers = readFixture(fixture);
    const step = ledgers.length > SHORT_LIST_MAX ? STEP : 1;
    for (const [index, bytes] of ledgers.entries()) {
      if (index % step !== 0) continue;
      const meta = LedgerCloseMeta.fromXdr(bytes);
      const { contracts, failing, keys: occurringKeys } = occurringIn(meta);
      const keys = new KeyTable();
      for (const key of occurringKeys) keys.add(key);
      const followed = { keys, tokens: new Set(contracts) };
      const taken = new Set([...spread(failing, index), ...spread(contracts, index)]);
      for (const contract of taken.size === 0 ? [exchange] : taken) {
        const options = { exchange: contract, passphrase };
        const expected = decodeMeta(meta, options, followed);
        assert.deepEqual(walkDecoderOf(options)(bytes, 0, followed), expected);
        entries += expected.delta.entries.length;
        failures += expected.delta.failures.length;
        assert.ok(expected.delta.ledger > 0);
      }
    }
    assert.ok(entries > 0);
    if (fixture === "core-tests" || fixture === "pubnet-recent") assert.ok(failures > 0);
  });
}

/** Other ones in the next ledger, so that in time many have their turn. */
function spread(contracts: readonly Address[], turn: number): readonly Address[] {
  const step = Math.max(1, Math.floor(contracts.length / CONTRACTS_MAX));
  return contracts.filter((_, at) => at % step === turn % step).slice(0, CONTRACTS_MAX);
}

/** Compiling a walker takes longer than walking a small ledger. */
const walkDecoders = new Map<string, DecodeLedger>();
function walkDecoderOf(options: DecoderOptions): DecodeLedger {
  const name = `${options.exchange} ${options.passphrase}`;
  const decoder = walkDecoders.get(name) ?? walkDecoder(options);
  walkDecoders.set(name, decoder);
  return decoder;
}

test("damaged ledgers are refused, or read alike by both decoders", () => {
  const seed = Number(process.env.SEED ?? 1);
  const damage = new Damage(seed);
  const ledgers = readFixture("core-tests").filter((bytes) => bytes.length < 20_000);
  const options = { exchange, passphrase: passphraseOf("core-tests") };
  const keys = new KeyTable();
  for (const bytes of ledgers) for (const key of occurring(bytes).keys) keys.add(key);
  const followed = { keys, tokens: new Set<Address>() };
  const outcome = (decoder: DecodeLedger, bytes: Uint8Array): unknown => {
    try {
      return decoder(bytes, 7, followed);
    } catch (thrown) {
      assert.ok(thrown instanceof IngestError, String(thrown));
      return thrown.code;
    }
  };
  let read = 0;
  const rounds = runs(200);
  for (let round = 0; round < rounds; round += 1) {
    const bytes = damage.of(damage.pick(ledgers));
    const expected = outcome(sdkDecoder(options), bytes);
    const found = outcome(walkDecoderOf(options), bytes);
    assert.deepEqual(found, expected, `SEED=${seed}, round ${round}`);
    if (expected !== "undecodable") read += 1;
  }
  assert.ok(read > rounds / 20 && read < 0.95 * rounds, `${read} of ${rounds} could be read`);
});
