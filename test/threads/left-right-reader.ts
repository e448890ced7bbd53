// A reader of the left-right test: enters, checks that everything it sees follows from the
// sequence alone, leaves, as fast as it can.
import { parentPort, workerData } from "node:worker_threads";
import { type BookBuffers, openBookReader } from "../../src/book/shared-control.ts";
import { assertDerived, type Derived } from "./left-right-derived.ts";

const { buffers, until, place, hold } = workerData as {
  readonly buffers: BookBuffers;
  /** Not zero first: the end. At `place`: how many steps this reader has seen. */
  readonly until: Int32Array;
  readonly place: number;
  /** Enter once and stay there for ever. */
  readonly hold: boolean;
};
const reader = openBookReader(buffers);

if (hold) {
  reader.enter();
  parentPort?.postMessage("inside");
  Atomics.wait(until, 1, 0);
}
const seen: Derived = { reads: 0, sequences: 0, last: 0 };
while (Atomics.load(until, 0) === 0) {
  const view = reader.enter();
  assertDerived(view, seen);
  reader.leave();
  Atomics.store(until, place, seen.sequences);
}
reader.close();
parentPort?.postMessage(seen);
