// The load process of http-quote: raw keep-alive connections with one request in flight each.
import assert from "node:assert/strict";
import { connect } from "node:net";

export type QuoteLoad = {
  readonly port: number;
  readonly connections: number;
  /** Each is asked once. */
  readonly paths: readonly string[];
};

export type QuoteLoadResult = {
  readonly seconds: number;
  /** Of each request, in the order of their ends. */
  readonly latenciesUs: readonly number[];
  readonly bodyBytes: number;
  /** Answers that hold a route. */
  readonly routed: number;
  /** Answers other than 200. */
  readonly refused: number;
};

type Tally = { latenciesUs: number[]; bodyBytes: number; routed: number; refused: number };

const HEAD_END = "\r\n\r\n";
const ROUTE = '"worstPrice"';

process.on("message", (load: QuoteLoad) => {
  void run(load).then((result) => process.send?.(result));
});

async function run({ port, connections, paths }: QuoteLoad): Promise<QuoteLoadResult> {
  const tally: Tally = { latenciesUs: [], bodyBytes: 0, routed: 0, refused: 0 };
  const requests = paths
    .map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`))
    .values();
  const start = performance.now();
  const clients = Array.from({ length: connections }, () => client(port, requests, tally));
  await Promise.all(clients);
  return { seconds: (performance.now() - start) / 1000, ...tally };
}

/** Asks one after the other until none is left. */
function client(port: number, requests: Iterator<Buffer>, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let sentAt = 0;
    let pieces: Buffer[] = [];
    let received = 0;
    let expected = 0;
    const next = (): void => {
      const { value, done } = requests.next();
      if (done === true) {
        socket.end();
        resolve();
        return;
      }
      [pieces, received, expected] = [[], 0, 0];
      sentAt = performance.now();
      socket.write(value);
    };
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("connect", next);
    socket.on("data", (data) => {
      pieces.push(data);
      received += data.length;
      if (expected === 0) expected = lengthOf(pieces.length === 1 ? data : Buffer.concat(pieces));
      if (expected === 0 || received < expected) return;
      assert.equal(received, expected, "more than one answer");
      tally.latenciesUs.push((performance.now() - sentAt) * 1000);
      tally.bodyBytes += received;
      const [first] = pieces;
      if (first?.includes(" 200 OK") === true) tally.routed += first.includes(ROUTE) ? 1 : 0;
      else {
        // Too much is asked at once, or a quote took too long: whatever else is a fault.
        assert.match(String(first).slice(0, 20), /^HTTP\/1\.1 (409|503) /);
        tally.refused += 1;
      }
      next();
    });
  });
}

/** Bytes of the whole answer; 0 while its head is not there. */
function lengthOf(data: Buffer): number {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return 0;
  const head = data.toString("latin1", 0, headEnd);
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`unexpected answer: ${head}`);
  return headEnd + HEAD_END.length + Number(length);
}
