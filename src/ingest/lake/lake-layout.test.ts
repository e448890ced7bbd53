import assert from "node:assert/strict";
import { test } from "node:test";
import { batchKey, batchStart, parseLakeConfig } from "./lake-layout.ts";

test("keys of one ledger a batch, in partitions", () => {
  const layout = { ledgersPerBatch: 1, batchesPerPartition: 64_000 };
  assert.equal(batchKey(layout, 63_092_982), "FC3E15FF--63040000-63103999/FC3D4709--63092982");
  assert.equal(batchKey({ ...layout, batchesPerPartition: 1 }, 999), "FFFFFC18--999");
});

test("keys of several ledgers a batch go by the batch's place", () => {
  const layout = { ledgersPerBatch: 64, batchesPerPartition: 10 };
  assert.equal(batchStart(layout, 2), 0);
  assert.equal(batchKey(layout, 2), "FFFFFFFF--0-639/FFFFFFFF--0-63");
  assert.equal(batchKey(layout, 640), "FFFFFD7F--640-1279/FFFFFD7F--640-703");
  assert.equal(batchKey(layout, 703), batchKey(layout, 640));
});

test("a configuration says how, or is refused with what is wrong", () => {
  const text = JSON.stringify({
    networkPassphrase: "x",
    version: "9",
    compression: "zstd",
    ledgersPerBatch: 2,
    batchesPerPartition: 8,
  });
  assert.deepEqual(parseLakeConfig(text), {
    layout: { ledgersPerBatch: 2, batchesPerPartition: 8 },
    passphrase: "x",
  });
  assert.throws(() => parseLakeConfig("nothing"), /not JSON/);
  assert.throws(() => parseLakeConfig("[]"), /not an object/);
  assert.throws(() => parseLakeConfig(text.replace("zstd", "gzip")), /gzip/);
  assert.throws(() => parseLakeConfig(text.replace(":2", ":0")), /ledgersPerBatch/);
  assert.throws(() => parseLakeConfig(text.replace(":8", ':"8"')), /batchesPerPartition/);
});
