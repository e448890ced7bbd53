// The raw client of the load must take messages as TCP cuts them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { PushConnection } from "../../bench/load/push-connection.ts";

const ACCEPTED = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

/** A frame of a server: not masked. */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** What comes of a server that sends these pieces, one at a time; `sent`: what the client sent it. */
async function received(pieces: readonly Buffer[], headBytes: number) {
  const messages: [string, number][] = [];
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "connection");
  let end: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const opened = PushConnection.open({
    ...{ url: `http://127.0.0.1:${port}`, headBytes, onClose: end },
    onMessage: (head, bytes) => void messages.push([head.toString("latin1"), bytes]),
  });
  try {
    const [socket] = (await accepted) as [Socket];
    socket.setNoDelay(true);
    let sent = "";
    socket.on("data", (data) => {
      sent += data.toString("latin1");
    });
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise(setImmediate);
    }
    const connection = await opened;
    const ended = once(socket, "close");
    socket.end();
    await Promise.all([closed, ended]);
    connection.close();
    return { messages, sent };
  } finally {
    server.close();
  }
}

test("messages come whole, however they are cut", async () => {
  const stream = Buffer.concat([
    Buffer.from(ACCEPTED),
    frame(1, Buffer.from("first")),
    frame(1, Buffer.alloc(0)),
    frame(9, Buffer.from("ping")),
    frame(1, Buffer.from("m".repeat(200))),
    frame(2, Buffer.from("last")),
  ]);
  const expected = [
    ["fir", 5],
    ["", 0],
    ["mmm", 200],
    ["las", 4],
  ];
  const bytes = Array.from(stream, (_, at) => stream.subarray(at, at + 1));
  for (const pieces of [[stream], bytes]) {
    const { messages, sent } = await received(pieces, 3);
    assert.deepEqual(messages, expected);
    assert.ok(sent.endsWith("\x8a\x80\0\0\0\0"), "the ping is answered");
  }
});

test("a message of more than 64 KiB has its length in eight bytes", async () => {
  const long = frame(1, Buffer.alloc(70_000, "x"));
  const pieces = [Buffer.from(ACCEPTED), long.subarray(0, 5), long.subarray(5), frame(1, long)];
  const { messages } = await received(pieces, 0);
  assert.deepEqual(messages, [
    ["", 70_000],
    ["", long.length],
  ]);
});

test("a service that takes no WebSocket is refused", () =>
  assert.rejects(received([Buffer.from("HTTP/1.1 404 Not Found\r\n\r\n")], 0), /no WebSocket at/));
