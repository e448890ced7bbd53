import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyRooms } from "./body-rooms.ts";
import { readIntoRoom } from "./limited-body.ts";

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

test("a room is used again once it is given back, by whatever part of it", async () => {
  const rooms = new BodyRooms();
  const first = await readIntoRoom(responseOf(Buffer.from("one"), Buffer.from("two")), 100, rooms);
  const second = await readIntoRoom(responseOf(Buffer.from("other")), 100, rooms);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual([String(first), String(second)], ["onetwo", "other"]);
  assert.notEqual(first.buffer, second.buffer);
  rooms.give(first.subarray(2, 4));
  rooms.give(first.subarray(0, 1));
  assert.equal(rooms.take().buffer, first.buffer);
  assert.notEqual(rooms.take().buffer, first.buffer, "given twice, there once");
});

test("a body of any size fits, up to its limit", async () => {
  const rooms = new BodyRooms();
  const pieces = Array.from({ length: 9 }, (_, index) => Buffer.alloc(1 << 20, index));
  const body = await readIntoRoom(responseOf(...pieces), 9 << 20, rooms);
  assert.ok(body?.equals(Buffer.concat(pieces)));
  assert.equal(await readIntoRoom(responseOf(...pieces), (9 << 20) - 1, rooms), undefined);
});

test("what is no room of its own is left alone", () => {
  const rooms = new BodyRooms();
  const foreign = Buffer.from("foreign, and from a pool that others use");
  rooms.give(foreign);
  assert.notEqual(rooms.take().buffer, foreign.buffer);
});
