// The readers of http-book, in a process of their own: connections that subscribe a market's book and read its snapshot.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";

export type BookReaders = {
  readonly port: number;
  readonly connections: number;
  readonly market: string;
};
/** Of all connections together. */
export type BookRead = { readonly seconds: number; readonly parts: number; readonly bytes: number };

const PART = /"part":([0-9]+),"parts":([0-9]+)/;
/** Characters at the beginning of a message that hold its part. */
const HEAD = 400;

process.on("message", (readers: BookReaders) => {
  void run(readers).then((read) => process.send?.(read));
});

async function run({ port, connections, market }: BookReaders): Promise<BookRead> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
      await once(socket, "open");
      return socket;
    }),
  );
  const start = performance.now();
  const read = await Promise.all(sockets.map((socket) => snapshot(socket, market)));
  const seconds = (performance.now() - start) / 1000;
  for (const socket of sockets) socket.terminate();
  const sum = (of: (one: { parts: number; bytes: number }) => number) =>
    read.reduce((total, one) => total + of(one), 0);
  return { seconds, parts: sum(({ parts }) => parts), bytes: sum(({ bytes }) => bytes) };
}

function snapshot(socket: WebSocket, market: string): Promise<{ parts: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    let [parts, bytes] = [0, 0];
    socket.on("close", () => reject(new Error("a reader was disconnected")));
    socket.on("message", (data: Buffer) => {
      const head = PART.exec(data.toString("latin1", 0, HEAD));
      if (head === null) return;
      parts += 1;
      bytes += data.length;
      assert.equal(Number(head[1]), parts);
      if (head[1] === head[2]) resolve({ parts, bytes });
    });
    socket.send(JSON.stringify({ op: "subscribe", channel: "book", market, id: 1 }));
  });
}
