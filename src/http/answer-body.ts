// Ends responses without using the binding's own buffer, which is unbounded: the part that a client does not
// take at once waits here, one body a connection. The binding closes a client that sends another request before
// it has read the answer. Main thread.
// Hot path: one call into the binding where the socket takes all, no more than a plain `end` costs.
import type { HttpResponse } from "./uws.ts";

/** To be called corked. `body` stays as it is until it is sent. */
export function endWithBody(res: HttpResponse, body: string | Uint8Array): void {
  sendAtOnce(res, body, (rest) => sendWhenWritable(res, rest));
}

/** Bounds what waits for all clients together. */
export class UnreadAnswers {
  readonly #bytesMax: number;
  readonly #refused: () => void;
  #bytes = 0;

  /** `bytesMax` 0: no limit. `refused` is called for every client that is cut off for it. */
  constructor(bytesMax: number, refused: () => void) {
    this.#bytesMax = bytesMax;
    this.#refused = refused;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** As `endWithBody`, but where too much waits already the connection is closed. */
  readonly end = (res: HttpResponse, body: string | Uint8Array): void => {
    sendAtOnce(res, body, (rest) => {
      const bytes = rest.length;
      if (this.#bytesMax > 0 && this.#bytes + bytes > this.#bytesMax) {
        this.#refused();
        res.onAborted(() => undefined);
        res.close();
        return;
      }
      this.#bytes += bytes;
      sendWhenWritable(res, rest, () => {
        this.#bytes -= bytes;
      });
    });
  };
}

/** Scratch buffer for encoding texts: some ten pages of twenty rows fit (choice). */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);
/** Of UTF-8, for a UTF-16 unit. */
const BYTES_PER_UNIT_MAX = 3;

/** `unsent` gets the whole body where the socket did not take all of it. */
function sendAtOnce(
  res: HttpResponse,
  body: string | Uint8Array,
  unsent: (body: Uint8Array) => void,
): void {
  if (body.length === 0) {
    res.end();
    return;
  }
  const isScratch = typeof body === "string" && body.length * BYTES_PER_UNIT_MAX <= scratch.length;
  const bytes = isScratch ? encoded(body) : typeof body === "string" ? Buffer.from(body) : body;
  if (!res.tryEnd(bytes, bytes.length)[1]) unsent(isScratch ? bytes.slice() : bytes);
}

/** Valid until the next call. The binding takes bytes as they are, but makes a copy of a string. */
function encoded(body: string): Uint8Array {
  return new Uint8Array(scratch.buffer, 0, scratch.write(body));
}

/** `over` is called once it is sent, or the client gone. */
function sendWhenWritable(
  res: HttpResponse,
  body: Uint8Array,
  over: () => void = () => undefined,
): void {
  res.onAborted(over);
  res.onWritable((sent) => {
    const [taken, done] = res.tryEnd(body.subarray(sent), body.length);
    if (done) over();
    return taken;
  });
}
