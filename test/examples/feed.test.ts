import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { PushMessage } from "hopbook/api";
import { WebSocketServer } from "ws";
import { follow } from "../../examples/feed.ts";

test("a feed that loses its connection comes back and subscribes again", async () => {
  const server = new WebSocketServer({ port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    const ledger = connections;
    socket.on("message", (data) => {
      assert.deepEqual(JSON.parse(String(data)), { op: "subscribe", channel: "contract" });
      socket.send(JSON.stringify({ type: "ledger", ledger, topic: "contract" }));
      if (ledger === 1) socket.terminate();
    });
  });
  const ledgers: number[] = [];
  await new Promise<void>((resolve) => {
    const feed = follow(
      `http://127.0.0.1:${port}`,
      [{ op: "subscribe", channel: "contract" }],
      (message: PushMessage) => {
        if (message.type === "ledger") ledgers.push(message.ledger);
        if (ledgers.length < 2) return;
        feed.close();
        resolve();
      },
    );
  });
  server.close();
  assert.deepEqual(ledgers, [1, 2]);
});
