// Hot path: a raw WebSocket that is sent whole text frames, so that the client's own work is small
// beside the server's. Reads every message to its end and answers pings.
import { connect, type Socket } from "node:net";

/** For the connection and its handshake. */
const OPEN_MS_MAX = 10_000;
/** Opens a WebSocket of the API. */
export const HANDSHAKE =
  "GET /ws HTTP/1.1\r\nHost: load\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const HEAD_END = "\r\n\r\n";
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const OPCODE_CLOSE = 8;
const OPCODE_PING = 9;
const NOTHING = Buffer.alloc(0);

export type PushConnectionOptions = {
  /** Of the service, with http. */
  readonly url: string;
  /** Bytes at the beginning of each message that `onMessage` is given. */
  readonly headBytes: number;
  /** `bytes`: of the whole message. */
  readonly onMessage: (head: Buffer, bytes: number) => void;
  /** The other side ended it. */
  readonly onClose?: () => void;
};

export class PushConnection {
  readonly #options: PushConnectionOptions;
  readonly #socket: Socket;
  /** Bytes of a frame's own head that came without the rest of it. */
  #begun: Buffer = NOTHING;
  /** Of the present message: its length, what is still to come, and its beginning. */
  #bytes = 0;
  #left = 0;
  #head: Buffer = NOTHING;
  #isText = false;

  private constructor(options: PushConnectionOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
  }

  /** Rejects with an Error where the service takes no WebSocket. */
  static open(options: PushConnectionOptions): Promise<PushConnection> {
    const { hostname, port } = new URL(options.url);
    const socket = connect(Number(port || 80), hostname);
    const connection = new PushConnection(options, socket);
    socket.setNoDelay(true);
    socket.write(HANDSHAKE);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => socket.destroy(), OPEN_MS_MAX);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        clearTimeout(late);
        reject(new Error(`no WebSocket at ${options.url}`));
      });
      let answer = NOTHING;
      const handshake = (data: Buffer): void => {
        answer = Buffer.concat([answer, data]);
        const end = answer.indexOf(HEAD_END);
        if (end < 0) return;
        if (!answer.toString("latin1", 0, end).startsWith("HTTP/1.1 101 ")) {
          socket.destroy();
          return;
        }
        clearTimeout(late);
        socket.off("data", handshake).on("data", (piece) => connection.#take(piece));
        socket.removeAllListeners("close").on("close", () => options.onClose?.());
        connection.#take(answer.subarray(end + HEAD_END.length));
        resolve(connection);
      };
      socket.on("data", handshake);
    });
  }

  send(text: string): void {
    this.#socket.write(textFrame(text));
  }

  /** Of `textFrames`. */
  sendFrames(frames: Buffer): void {
    this.#socket.write(frames);
  }

  stopReading(): void {
    this.#socket.pause();
  }

  /** At once, without `onClose`. */
  close(): void {
    this.#socket.removeAllListeners("close").destroy();
  }

  #take(data: Buffer): void {
    let at = 0;
    while (at < data.length) {
      if (this.#left === 0) {
        const rest = this.#begun.length === 0 ? data.subarray(at) : this.#joined(data);
        const frame = frameHead(rest);
        if (frame === undefined) {
          this.#begun = Buffer.from(rest);
          return;
        }
        at += frame.headBytes - this.#begun.length;
        this.#begun = NOTHING;
        this.#begin(frame.opcode, frame.payloadBytes);
      }
      at = this.#takePayload(data, at);
    }
  }

  #joined(data: Buffer): Buffer {
    return Buffer.concat([this.#begun, data]);
  }

  #begin(opcode: number, payloadBytes: number): void {
    this.#isText = opcode < OPCODE_CLOSE;
    this.#bytes = payloadBytes;
    this.#left = payloadBytes;
    this.#head = NOTHING;
    if (opcode === OPCODE_PING) this.#socket.write(PONG);
    // Nothing follows in it, not even at the end of what came.
    if (payloadBytes === 0 && this.#isText) this.#options.onMessage(NOTHING, 0);
  }

  /** Returns where it ends in what came. */
  #takePayload(data: Buffer, from: number): number {
    if (this.#left === 0) return from;
    const part = Math.min(this.#left, data.length - from);
    const missing = Math.min(this.#options.headBytes, this.#bytes) - this.#head.length;
    if (missing > 0) {
      const piece = data.subarray(from, from + Math.min(missing, part));
      this.#head = this.#head.length === 0 ? piece : Buffer.concat([this.#head, piece]);
    }
    this.#left -= part;
    if (this.#left === 0 && this.#isText) this.#options.onMessage(this.#head, this.#bytes);
    return from + part;
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

/** The bytes of messages, for `sendFrames`. */
export function textFrames(texts: readonly string[]): Buffer {
  return Buffer.concat(texts.map(textFrame));
}

/** Masked, as clients have to mask, with a mask of zeros. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const size = Buffer.alloc(length < 126 ? 1 : length < 0x1_0000 ? 3 : 9);
  size[0] = 0x80 | (length < 126 ? length : length < 0x1_0000 ? 126 : 127);
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([Buffer.from([0x81]), size, Buffer.alloc(4), payload]);
}
