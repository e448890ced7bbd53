// Sends bytes as they are, for requests that no HTTP client would make.
import { connect } from "node:net";

export type RawAnswer = {
  readonly text: string;
  /** The server closed the connection. */
  readonly closed: boolean;
};

/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 30_000;

/**
 * Writes the parts one by one, each in a segment of its own, and returns what came back once
 * `enough` says so or the server closed. Rejects after `timeoutMs`.
 */
export function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array)[],
  enough: (text: string) => boolean,
  timeoutMs = WAIT_MS_MAX,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let text = "";
    const timeout = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${timeoutMs} ms, only ${JSON.stringify(text)}`));
    }, timeoutMs);
    const finish = (closed: boolean): void => {
      clearTimeout(timeout);
      socket.destroy();
      resolve({ text, closed });
    };
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (enough(text)) finish(false);
    });
    socket.on("close", () => finish(true));
    // A server that closes while we still write resets the connection: `close` follows.
    socket.on("error", () => undefined);
    const writeNext = (index: number): void => {
      const part = parts[index];
      if (part === undefined || socket.destroyed) return;
      // The segment is on its way before the next one is written.
      socket.write(part, () => setImmediate(() => writeNext(index + 1)));
    };
    socket.on("connect", () => writeNext(0));
  });
}

/** How many whole answers with a Content-Length `text` holds. */
export function answerCount(text: string): number {
  let count = 0;
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return count;
    const length = Number(/content-length: ([0-9]+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
    if (rest.length < end + 4 + length) return count;
    rest = rest.slice(end + 4 + length);
    count += 1;
  }
}
