import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as wasm from "@bokuweb/zstd-wasm";
import { contentSize, type Decompress, loadWasmZstd, loadZstd } from "./zstd.ts";

/** Seen from dist/src/ingest/lake, where this runs. */
const LAKE = new URL("../../../../test/fixtures/lake/", import.meta.url);
const objects = ["FCD285FF--53312000.xdr.zstd", "testbucket/FFFFFC18--999.xdr.zst"].map((name) =>
  readFileSync(new URL(name, LAKE)),
);

const ways: readonly (readonly [string, () => Promise<Decompress>])[] = [
  ["the way of this Node", loadZstd],
  ["WebAssembly", loadWasmZstd],
];

for (const [name, load] of ways) {
  test(`${name}: real objects, limits and damage`, async () => {
    const decompress = await load();
    const sizes = objects.map((object) => decompress(object, 1 << 24).length);
    assert.deepEqual(sizes, [372_492, 6_524]);
    for (const object of objects) {
      assert.throws(() => decompress(object, 1_000));
      assert.throws(() => decompress(object.subarray(0, object.length - 9), 1 << 24));
      const damaged = Uint8Array.from(object);
      damaged[0] = 1;
      assert.throws(() => decompress(damaged, 1 << 24));
    }
    assert.throws(() => decompress(new Uint8Array(0), 1 << 24));
  });
}

test("a frame of unknown size grows its room up to the limit", async () => {
  const decompress = await loadWasmZstd();
  const content = new Uint8Array(5 << 20).fill(7);
  const frame = wasm.compress(content, 3);
  const single = withoutSize(frame);
  assert.equal(contentSize(frame), content.length);
  assert.equal(contentSize(single), undefined);
  assert.deepEqual(decompress(single, 8 << 20), content);
  assert.throws(() => decompress(single, 4 << 20), /more than/);
});

/** The same frame with a header that gives a window of 8 MiB in place of the content's size. */
function withoutSize(frame: Uint8Array): Uint8Array {
  const descriptor = frame[4] ?? 0;
  const sizeBytes = [(descriptor & 0x20) === 0 ? 0 : 1, 2, 4, 8][descriptor >> 6] ?? 0;
  const head = 5 + ((descriptor & 0x20) === 0 ? 1 : 0) + sizeBytes;
  const rest = frame.subarray(head);
  return Uint8Array.from([...frame.subarray(0, 4), descriptor & 0x04, 0x68, ...rest]);
}
