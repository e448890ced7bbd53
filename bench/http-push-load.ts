// The client process of http-push: raw WebSocket connections that count the frames they are sent.
import { connect, type Socket } from "node:net";
import type { FromLoad, ToLoad } from "./http-push.bench.ts";

/** A masked text frame with a mask of zeros; payloads below 64 KiB. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0])
      : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

const HANDSHAKE =
  "GET /ws HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
/** Connections opened at a time. */
const OPENING = 100;
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const OPCODE_PING = 9;

let payloadBytes = 0;
let expected = Number.POSITIVE_INFINITY;
let behind = 0;
let frames = 0;
let bytes = 0;
const clients: Client[] = [];

class Client {
  counted = 0;
  readonly #socket: Socket;
  /** Bytes of a frame's head that came without the rest of it. */
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the present frame that are still to come. */
  #skip = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#take(data));
    socket.on("error", () => undefined);
  }

  stopReading(): void {
    this.#socket.pause();
  }

  #take(data: Buffer): void {
    bytes += data.length;
    let at = 0;
    while (at < data.length) {
      if (this.#skip > 0) {
        const part = Math.min(this.#skip, data.length - at);
        this.#skip -= part;
        at += part;
        continue;
      }
      const rest =
        this.#head.length === 0
          ? data.subarray(at)
          : Buffer.concat([this.#head, data.subarray(at)]);
      const head = frameHead(rest);
      if (head === undefined) {
        this.#head = Buffer.from(rest);
        return;
      }
      at += head.headBytes - this.#head.length;
      this.#head = Buffer.alloc(0);
      this.#skip = head.payloadBytes;
      if (head.opcode === OPCODE_PING) this.#socket.write(PONG);
      frames += 1;
      if (head.payloadBytes === payloadBytes) this.#count();
    }
  }

  #count(): void {
    this.counted += 1;
    if (this.counted !== expected) return;
    behind -= 1;
    if (behind === 0)
      tell({ kind: "received", atNs: String(process.hrtime.bigint()), frames, bytes });
  }
}

function frameHead(data: Buffer) {
  const [first, second] = data;
  if (first === undefined || second === undefined) return undefined;
  const opcode = first & 0x0f;
  if (second < 126) return { opcode, headBytes: 2, payloadBytes: second };
  const headBytes = second === 126 ? 4 : 10;
  if (data.length < headBytes) return undefined;
  const payload = second === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  return { opcode, headBytes, payloadBytes: payload };
}

function tell(message: FromLoad): void {
  process.send?.(message);
}

async function open(port: number, subscribe: readonly string[]): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.write(HANDSHAKE);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    // The answer to the handshake comes alone: nothing is sent before the first subscribe.
    socket.once("data", () => resolve());
  });
  clients.push(new Client(socket));
  for (const message of subscribe) socket.write(textFrame(message));
}

async function openAll({ port, subscribe }: Extract<ToLoad, { kind: "open" }>): Promise<void> {
  for (let at = 0; at < subscribe.length; at += OPENING) {
    await Promise.all(subscribe.slice(at, at + OPENING).map((messages) => open(port, messages)));
  }
  tell({ kind: "opened" });
}

process.on("message", (message: ToLoad) => {
  switch (message.kind) {
    case "open":
      void openAll(message);
      break;
    case "expect":
      ({ payloadBytes } = message);
      expected = message.count;
      behind = clients.length;
      for (const client of clients) client.counted = 0;
      frames = 0;
      bytes = 0;
      tell({ kind: "ready" });
      break;
    case "stopReading":
      for (const client of clients) client.stopReading();
      tell({ kind: "ready" });
      break;
  }
});
