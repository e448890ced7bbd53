// What benches of push have their clients do, in the process of the driver.
import assert from "node:assert/strict";
import { PushConnection, textFrames } from "./push-connection.ts";

/** Connections opened at a time. */
const OPENING = 100;
/** Connections are answered in order: after this all before it has been. */
const LAST = '{"op":"ping","id":"last"}';
const LAST_ANSWER = '"id":"last"';
const PART = /"part":([0-9]+),"parts":([0-9]+)/;
/** Bytes at the beginning of a message that hold its part, or its id. */
const HEAD_BYTES = 400;

/** `process.hrtime` of the last one's end, in nanoseconds; and what all connections got by then. */
export type Received = { readonly atNs: string; readonly frames: number; readonly bytes: number };

/** Connections that count the messages that they are sent. */
export class CountingClients {
  readonly #clients: { readonly connection: PushConnection; counted: number }[] = [];
  #payloadBytes = 0;
  #expected = Number.POSITIVE_INFINITY;
  #behind = 0;
  #frames = 0;
  #bytes = 0;
  #tell: (received: Received) => void = () => undefined;

  /** `subscribe`: the messages that each connection sends. */
  async open(url: string, subscribe: readonly (readonly string[])[]): Promise<void> {
    for (let at = 0; at < subscribe.length; at += OPENING) {
      const opening = subscribe.slice(at, at + OPENING);
      await Promise.all(opening.map((messages) => this.#open(url, messages)));
    }
  }

  /** Resolves when every connection got so many messages of this length. */
  receive(payloadBytes: number, count: number): Promise<Received> {
    this.#payloadBytes = payloadBytes;
    this.#expected = count;
    this.#behind = this.#clients.length;
    this.#frames = 0;
    this.#bytes = 0;
    for (const client of this.#clients) client.counted = 0;
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  stopReading(): void {
    for (const { connection } of this.#clients) connection.stopReading();
  }

  async #open(url: string, messages: readonly string[]): Promise<void> {
    const connection = await PushConnection.open({
      url,
      headBytes: 0,
      onMessage: (_head, bytes) => this.#take(client, bytes),
    });
    const client = { connection, counted: 0 };
    this.#clients.push(client);
    for (const message of messages) connection.send(message);
  }

  #take(client: { counted: number }, bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
    if (bytes !== this.#payloadBytes) return;
    client.counted += 1;
    if (client.counted !== this.#expected) return;
    this.#behind -= 1;
    if (this.#behind > 0) return;
    this.#tell({
      ...{ atNs: String(process.hrtime.bigint()), frames: this.#frames, bytes: this.#bytes },
    });
  }
}

export type Flood = {
  readonly url: string;
  readonly connections: number;
  /** That every connection sends in one piece, and reads every answer. */
  readonly messages: readonly string[];
};
/** How many floods there were, and of all their connections those that were closed before their last answer. */
export type FloodResult = { readonly floods: number; readonly closed: number };

/** Floods that come again and again, each of new connections. */
export class Flooding {
  #isOver = false;

  async run({ url, connections, messages }: Flood): Promise<FloodResult> {
    this.#isOver = false;
    // Made once: the flood itself costs its clients little.
    const frames = textFrames([...messages, LAST]);
    let [floods, closed] = [0, 0];
    while (!this.#isOver) {
      const clients = await openTogether(url, connections, () => (head) => {
        return head.includes(LAST_ANSWER) ? true : undefined;
      });
      for (const { connection } of clients) connection.sendFrames(frames);
      const ends = await closedAfter(clients);
      floods += 1;
      closed += ends.filter((end) => end === "closed").length;
    }
    return { floods, closed };
  }

  end(): void {
    this.#isOver = true;
  }
}

export type BookReaders = {
  readonly url: string;
  readonly connections: number;
  readonly market: string;
};
/** Of all connections together. */
export type BookRead = { readonly seconds: number; readonly bytes: number };

/** Connections that subscribe a market's book at once, until each has all parts of the snapshot. */
export async function readBooks(readers: BookReaders): Promise<BookRead> {
  const { url, connections, market } = readers;
  const clients = await openTogether(url, connections, () => {
    let [parts, bytes] = [0, 0];
    return (head, messageBytes) => {
      const part = PART.exec(head.toString("latin1"));
      if (part === null) return undefined;
      parts += 1;
      bytes += messageBytes;
      assert.equal(Number(part[1]), parts);
      return part[1] === part[2] ? bytes : undefined;
    };
  });
  const start = performance.now();
  for (const { connection } of clients) {
    connection.send(JSON.stringify({ op: "subscribe", channel: "book", market, id: 1 }));
  }
  const read = await closedAfter(clients);
  const seconds = (performance.now() - start) / 1000;
  assert.ok(!read.includes("closed"), "a reader was disconnected");
  return { seconds, bytes: read.reduce((sum: number, bytes) => sum + Number(bytes), 0) };
}

type Client<T> = {
  readonly connection: PushConnection;
  readonly ended: Promise<T | "closed">;
};
/** What comes of a connection, once a message tells. */
type Reader<T> = (head: Buffer, bytes: number) => T | undefined;

async function openTogether<T>(
  url: string,
  connections: number,
  reader: () => Reader<T>,
): Promise<readonly Client<T>[]> {
  const open = async (): Promise<Client<T>> => {
    let end: (how: T | "closed") => void = () => undefined;
    const ended = new Promise<T | "closed">((resolve) => {
      end = resolve;
    });
    const read = reader();
    const connection = await PushConnection.open({
      ...{ url, headBytes: HEAD_BYTES, onClose: () => end("closed") },
      onMessage: (head, bytes) => {
        const told = read(head, bytes);
        if (told !== undefined) end(told);
      },
    });
    return { connection, ended };
  };
  return Promise.all(Array.from({ length: connections }, open));
}

/** What came of each of them. */
async function closedAfter<T>(clients: readonly Client<T>[]): Promise<readonly (T | "closed")[]> {
  const ends = await Promise.all(clients.map(({ ended }) => ended));
  for (const { connection } of clients) connection.close();
  return ends;
}
