// The flooding client of http-push-flood, in a process of its own: connections that each send all of
// their messages at once and read every answer.
import { once } from "node:events";
import { WebSocket } from "ws";

export type Flood = {
  readonly port: number;
  readonly connections: number;
  /** Of every connection. */
  readonly messages: readonly string[];
};
/** Connections that were answered to the last message, and those that were closed before. */
export type FloodResult = { readonly answered: number; readonly closed: number };

/** Connections are answered in order: after this all before it has been. */
const LAST = '{"op":"ping","id":"last"}';

process.on("message", (flood: Flood) => {
  void run(flood).then((result) => process.send?.(result));
});

async function run({ port, connections, messages }: Flood): Promise<FloodResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const ends = await Promise.all(sockets.map((socket) => flooded(socket, messages)));
  for (const socket of sockets) socket.terminate();
  const answered = ends.filter((end) => end === "answered").length;
  return { answered, closed: connections - answered };
}

async function open(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await once(socket, "open");
  return socket;
}

function flooded(socket: WebSocket, messages: readonly string[]): Promise<"answered" | "closed"> {
  return new Promise((resolve) => {
    socket.on("error", () => undefined);
    socket.once("close", () => resolve("closed"));
    socket.on("message", (data: Buffer) => {
      if (data.includes('"id":"last"')) resolve("answered");
    });
    for (const message of messages) socket.send(message);
    socket.send(LAST);
  });
}
