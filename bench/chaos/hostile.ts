// Hostile clients: they stall, send what no protocol allows, or too much of it.
import { connect, type Socket } from "node:net";
import { HANDSHAKE, textFrames } from "../load/push-connection.ts";

const CONNECT_MS_MAX = 5000;
/** Sockets opened at a time. */
const OPENING = 100;

/** What a client that stalls has sent when it stops, and it reads nothing any more. */
const STALLS = [
  "",
  "GET /",
  "GET / HTTP/1.1\r\nHost: x\r\n",
  "GET /trades?limit=500 HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20),
  "POST /quote HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc",
  HANDSHAKE,
] as const;

const MALFORMED_HTTP = [
  "\r\n\r\n\r\n",
  "GET\r\n\r\n",
  "GET / HTTP/9.9\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
  "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
  "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
  "GET / HTTP/1.1\nHost: x\n\n",
  "\u0000\u0001\u0002\u0003".repeat(64),
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n",
] as const;

const OVERSIZE_HTTP = [
  `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET /?${"limit=1&".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(200_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${"A: b\r\n".repeat(20_000)}\r\n`,
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n${"z".repeat(5_000_000)}`,
] as const;

const MALFORMED_FRAMES = [
  [0x81, 0x02, 0x7b, 0x7d],
  [0x83, 0x80, 0, 0, 0, 0],
  [0xf1, 0x80, 0, 0, 0, 0],
  [0x80, 0x80, 0, 0, 0, 0],
  [0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0],
  [0x09, 0x80, 0, 0, 0, 0],
  [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
  [0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [0x88, 0x81, 0, 0, 0, 0, 0x03],
  [0x88, 0x82, 0, 0, 0, 0, 0xff, 0xff],
] as const;

const DEEP = 8000;
const OVERSIZE_MESSAGES = [
  `{"op":"ping","id":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`,
  "x".repeat(16 * 1024 + 1),
  "x".repeat(1_000_000),
  "x".repeat(3_000_000),
  `{"op":"subscribe","channel":"depth","market":"${"A".repeat(16_000)}"}`,
];

export function sendMalformedHttp(port: number): Promise<void> {
  return sendAll(
    port,
    MALFORMED_HTTP.map((text) => Buffer.from(text, "latin1")),
  );
}

export async function sendMalformedFrames(port: number): Promise<void> {
  const frames = MALFORMED_FRAMES.map((bytes) => Buffer.from(bytes));
  await sendAll(
    port,
    frames.map((frame) => Buffer.concat([Buffer.from(HANDSHAKE), frame])),
  );
}

export async function sendOversize(port: number): Promise<void> {
  const messages = OVERSIZE_MESSAGES.map((text) =>
    Buffer.concat([Buffer.from(HANDSHAKE), textFrames([text])]),
  );
  await sendAll(port, [...OVERSIZE_HTTP.map((text) => Buffer.from(text)), ...messages]);
}

/** Connects and stalls; returns the way to let go. */
export async function stallClients(port: number, count: number): Promise<() => void> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += OPENING) {
    const batch = Array.from({ length: Math.min(OPENING, count - at) }, async (_, index) => {
      const socket = await opened(port);
      if (socket === undefined) return;
      sockets.push(socket);
      socket.pause();
      socket.write(STALLS[index % STALLS.length] ?? "");
    });
    await Promise.all(batch);
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Each on a connection of its own, one after the other. */
async function sendAll(port: number, payloads: readonly Buffer[]): Promise<void> {
  for (const payload of payloads) {
    const socket = await opened(port);
    if (socket === undefined) continue;
    await new Promise<void>((resolve) => {
      socket.on("close", () => resolve());
      socket.resume();
      socket.end(payload);
      setTimeout(() => socket.destroy(), 300);
    });
  }
}

/** Undefined where nobody takes the connection. */
function opened(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const timeout = setTimeout(() => socket.destroy(), CONNECT_MS_MAX);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(timeout);
      resolve(undefined);
    });
    socket.once("connect", () => {
      clearTimeout(timeout);
      resolve(socket);
    });
  });
}
