import assert from "node:assert/strict";
import { test } from "node:test";
import { BufferPool } from "./buffer-pool.ts";
import { readIntoPooled } from "./source-http.ts";

function responseOf(...pieces: readonly Uint8Array[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }),
  );
}

test("a buffer is used again once it is given back, by whatever part of it", async () => {
  const buffers = new BufferPool();
  const first = await readIntoPooled(
    responseOf(Buffer.from("one"), Buffer.from("two")),
    100,
    buffers,
  );
  const second = await readIntoPooled(responseOf(Buffer.from("other")), 100, buffers);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([String(first), String(second)], ["onetwo", "other"]);
  assert.notEqual(first.buffer, second.buffer);
  buffers.give(first.subarray(2, 4));
  buffers.give(first.subarray(0, 1));
  assert.equal(buffers.take().buffer, first.buffer);
  assert.notEqual(buffers.take().buffer, first.buffer, "given twice, there once");
});

test("a body of any size fits, up to its limit", async () => {
  const buffers = new BufferPool();
  const pieces = Array.from({ length: 9 }, (_, index) => Buffer.alloc(1 << 20, index));
  const body = await readIntoPooled(responseOf(...pieces), 9 << 20, buffers);
  assert.ok(body?.equals(Buffer.concat(pieces)));
  assert.equal(await readIntoPooled(responseOf(...pieces), (9 << 20) - 1, buffers), undefined);
});

test("a buffer of another origin is ignored", () => {
  const buffers = new BufferPool();
  const foreign = Buffer.from("foreign, and from a pool that others use");
  buffers.give(foreign);
  assert.notEqual(buffers.take().buffer, foreign.buffer);
});
