import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decompress, init } from "@bokuweb/zstd-wasm";
import { LedgerCloseMetaBatch } from "@stellar/stellar-sdk/xdr";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { batchKey } from "../../src/devnet/lake.ts";
import { rawFrame } from "../../src/devnet/zstd.ts";
import { createFixture } from "../support/devnet/fixture.ts";

const PASSPHRASE = "Lake test";

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "lake-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function start(directory: string, ledgersPerBatch: number): Promise<Devnet> {
  return startDevnet(
    {
      seed: "lake",
      passphrase: PASSPHRASE,
      port: 0,
      manual: true,
      startTime: 1_800_000_000,
      directory: join(directory, "chain"),
      lakeDirectory: join(directory, "lake"),
      lakeLedgersPerBatch: ledgersPerBatch,
      lakeBatchesPerPartition: 4,
    },
    createFixture("lake", PASSPHRASE).scenario,
  );
}

function objects(directory: string): string[] {
  return readdirSync(join(directory, "lake"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".zst"))
    .sort();
}

test("keys are those of the public lakes", () => {
  const galexie = { ledgersPerBatch: 1, batchesPerPartition: 64_000 };
  assert.equal(
    batchKey(63_092_982, galexie),
    "FC3E15FF--63040000-63103999/FC3D4709--63092982.xdr.zst",
  );
  assert.equal(
    batchKey(999, { ledgersPerBatch: 1, batchesPerPartition: 1 }),
    "FFFFFC18--999.xdr.zst",
  );
});

test("a lake holds every ledger once, newest first, also after a restart", async (t) => {
  await init();
  const directory = temporary(t);
  const metas: Uint8Array[] = [];
  for (let part = 0; part < 2; part += 1) {
    const devnet = await start(directory, 3);
    for (let at = 0; at < 7; at += 1) devnet.closeLedger();
    metas.length = 0;
    const { ledger: latest } = devnet.tip;
    for (let ledger = 2; ledger <= latest; ledger += 1) metas.push(devnet.ledgerMeta(ledger));
    await devnet.stop();
  }
  // Ledgers 2 to 16: the batches end at 2, 5, 8, 11 and 14.
  const names = objects(directory);
  assert.equal(names.length, 5);
  const held = names.toReversed().flatMap((name) => {
    const batch = LedgerCloseMetaBatch.fromXdr(
      decompress(readFileSync(join(directory, "lake", name))),
    );
    assert.equal(batch.endSequence - batch.startSequence + 1, batch.ledgerCloseMetas.length);
    return batch.ledgerCloseMetas.map((meta) => Buffer.from(meta.toXdr()).toString("hex"));
  });
  assert.deepEqual(
    held,
    metas.slice(0, 13).map((meta) => Buffer.from(meta).toString("hex")),
  );
  const config = JSON.parse(readFileSync(join(directory, "lake", ".config.json"), "utf8"));
  assert.deepEqual(config, {
    networkPassphrase: PASSPHRASE,
    version: "1.0",
    compression: "zstd",
    ledgersPerBatch: 3,
    batchesPerPartition: 4,
  });
});

test("frames without a compressor hold bytes of any length", async () => {
  await init();
  for (const length of [0, 1, 131_072, 131_073, 400_000]) {
    const bytes = Buffer.alloc(length, "ledger");
    assert.ok(Buffer.from(decompress(rawFrame(bytes))).equals(bytes), String(length));
  }
});
