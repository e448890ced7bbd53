// A reader of the soak: walks sides of whatever copy is live, as fast as it can.
import { parentPort, workerData } from "node:worker_threads";
import { type BookBuffers, openBookReader } from "../src/book/shared-control.ts";
import {
  LIST_COUNT,
  LIST_START,
  ORDER_PRICE_F64,
  ORDER_STRIDE_F64,
  POOL_HIGH,
  POOL_SIDES,
  SIDE_LIST,
  SIDE_STRIDE_U32,
} from "../src/book/shared-layout.ts";

const { buffers, until } = workerData as {
  readonly buffers: BookBuffers;
  readonly until: Int32Array;
};
/** Orders looked at in one visit: about what a search does. */
const LOOK = 400;

const reader = openBookReader(buffers);
let visits = 0;
let unsorted = 0;
while (Atomics.load(until, 0) === 0) {
  const view = reader.enter();
  const side = 1 + (visits % Math.max(1, view.headerU32[POOL_SIDES + POOL_HIGH] ?? 1));
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  const start = view.sideU32[at + LIST_START] ?? 0;
  const end = start + Math.min(LOOK, view.sideU32[at + LIST_COUNT] ?? 0);
  let best = 0;
  for (let place = start; place < end; place += 1) {
    const price = view.orderF64[(view.arena[place] ?? 0) * ORDER_STRIDE_F64 + ORDER_PRICE_F64] ?? 0;
    if (price < best) unsorted += 1;
    best = price;
  }
  reader.leave();
  visits += 1;
}
reader.close();
parentPort?.postMessage({ visits, unsorted });
