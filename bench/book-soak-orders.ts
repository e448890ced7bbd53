// Where the soak's orders live: the changes of its ledgers come from a thread of their own, as an engine's come from
// the reader thread, so that the collector of the main thread has no million orders to look at which no engine keeps.
import { parentPort, workerData } from "node:worker_threads";
import type { BookChange } from "../src/book/book-change.ts";
import { BookData, type BookScale } from "./book-data.ts";

/** Changes of one message: more would make a long turn of whoever takes it. */
const PIECE = 250;

const data = new BookData(workerData as BookScale);
const growth = data.start();
let grown = 0;
let changes: readonly BookChange[] = [];
let sent = 0;

/**
 * `grow`, `change`: begins a ledger of so many of the first orders and records, or changes. `next`: asks for more of
 * it.
 */
parentPort?.on(
  "message",
  ({ kind, count }: { kind: "grow" | "change" | "next"; count: number }) => {
    if (kind !== "next") {
      changes = kind === "grow" ? growth.slice(grown, grown + count) : data.ledger(count);
      if (kind === "grow") grown += changes.length;
      sent = 0;
    }
    const piece = changes.slice(sent, sent + PIECE);
    sent += piece.length;
    const isEnd = sent === changes.length;
    parentPort?.postMessage({ piece, isEnd, left: growth.length - grown, live: data.live.length });
  },
);
