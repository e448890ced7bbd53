import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MessageQueue } from "./message-queue.ts";

test("messages leave as they came, in their order, whatever their lengths", () => {
  const message = fc.oneof(
    fc.constant(undefined),
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 0, max: 70_000 }).map((length) => new Uint8Array(length).fill(length)),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.constant("take" as const))), (steps) => {
      const queue = new MessageQueue();
      const expected: (Uint8Array | undefined)[] = [];
      const take = (): void => {
        assert.deepEqual(copy(queue.shift()), copy(expected.shift()));
      };
      for (const step of steps) {
        if (step !== "take") {
          queue.push(step);
          expected.push(step);
        } else if (expected.length > 0) take();
        assert.equal(queue.count, expected.length);
        const bytes = expected.reduce((sum, each) => sum + (each?.length ?? 0), 0);
        assert.equal(queue.bytes, bytes);
      }
      while (expected.length > 0) take();
      assert.throws(() => queue.shift(), RangeError);
    }),
  );
});

function copy(message: Uint8Array | undefined): Buffer | undefined {
  return message === undefined ? undefined : Buffer.from(message);
}
