// Damaged ledgers through the reader: a clear error or a right result, in bounded time and memory.
// The SDK's decoder says what is right, of every tenth input; of the others that nothing else than
// the error for undecodable ledgers comes out.
import assert from "node:assert/strict";
import { IngestError } from "../src/ingest/ingest-error.ts";
import { KeyTable } from "../src/ingest/key-table.ts";
import type { DecodeLedger, Followed } from "../src/ingest/ledger-decoder.ts";
import { walkDecoder } from "../src/ingest/walk-decoder.ts";
import { testContract } from "../test/ingest/addresses.ts";
import { Damage } from "../test/ingest/damage.ts";
import { passphraseOf, readFixture } from "../test/ingest/ledger-fixtures.ts";
import { occurring } from "../test/ingest/occurring.ts";
import { sdkDecoder } from "../test/support/sdk-decoder.ts";
import { type Bench, figure } from "./bench.ts";

const COMPARE_EVERY = 10;
/** Small ones: the damage is to meet what matters, and often. */
const BYTES_MAX = 20_000;

export const bench: Bench = async ({ tiny }) => {
  const inputs = tiny ? 500 : 100_000;
  const seed = Number(process.env.SEED ?? 1);
  const damage = new Damage(seed);
  const ledgers = readFixture("core-tests").filter(({ length }) => length < BYTES_MAX);
  const keys = new KeyTable();
  for (const ledger of ledgers) for (const key of occurring(ledger).keys) keys.add(key);
  const exchange = occurring(ledgers.at(-1) ?? new Uint8Array()).contracts[0] ?? testContract(1);
  const options = { exchange, passphrase: passphraseOf("core-tests") };
  const followed: Followed = { keys, tokens: new Set([exchange]) };
  const [skipping, full] = [walkDecoder(options), sdkDecoder(options)];
  let refused = 0;
  let slowestMs = 0;
  let spentMs = 0;
  for (let count = 0; count < inputs; count += 1) {
    const bytes = damage.of(damage.pick(ledgers));
    const began = performance.now();
    const found = outcome(skipping, bytes, followed);
    const tookMs = performance.now() - began;
    slowestMs = Math.max(slowestMs, tookMs);
    spentMs += tookMs;
    if (found === "undecodable") refused += 1;
    if (count % COMPARE_EVERY === 0) {
      assert.deepEqual(found, outcome(full, bytes, followed), `SEED=${seed}, input ${count}`);
    }
  }
  assert.ok(refused > 0 && refused < inputs);
  return [
    figure("inputs", inputs, "ledgers"),
    figure("refused", refused, "ledgers"),
    figure("read, and right", inputs - refused, "ledgers"),
    figure("time an input", (spentMs / inputs) * 1000, "us"),
    figure("slowest input", slowestMs, "ms"),
    figure("memory at the end", process.memoryUsage.rss() / 1e6, "MB"),
  ];
};

function outcome(decode: DecodeLedger, bytes: Uint8Array, followed: Followed): unknown {
  try {
    return decode(bytes, 7, followed);
  } catch (thrown) {
    if (thrown instanceof IngestError) return thrown.code;
    throw thrown;
  }
}
