// A push client of the tests: keeps what it received, waits for what it wants.
import assert from "node:assert/strict";
import WebSocket from "ws";
import { checkPushMessage } from "../api/conformance.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON as the server sent it; tests compare it.
export type Message = any;

/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 120_000;

export class PushClient {
  readonly messages: Message[] = [];
  /** Pings of the protocol that the server sent. */
  pings = 0;
  /** The close code; resolves when the connection is gone. */
  readonly closed: Promise<number>;
  closeReason = "";
  readonly #socket: WebSocket;
  #wake: () => void = () => undefined;

  static async open(
    port: number,
    options: { readonly autoPong?: boolean } = {},
  ): Promise<PushClient> {
    const client = new PushClient(port, options);
    await new Promise((resolve, reject) => {
      client.#socket.once("open", resolve).once("error", reject);
    });
    return client;
  }

  private constructor(port: number, options: { readonly autoPong?: boolean }) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, options);
    this.closed = new Promise((resolve) => {
      this.#socket.once("close", (code, reason) => {
        this.closeReason = String(reason);
        resolve(code);
      });
    });
    this.#socket.on("ping", () => {
      this.pings += 1;
    });
    this.#socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      checkPushMessage(message);
      this.messages.push(message);
      this.#wake();
    });
  }

  send(message: object | string): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The first message from `from` on that `wanted` accepts. */
  async find(wanted: (message: Message) => boolean, from = 0): Promise<Message> {
    const deadline = Date.now() + WAIT_MS_MAX;
    for (;;) {
      const found = this.messages.slice(from).find(wanted);
      if (found !== undefined) return found;
      const left = deadline - Date.now();
      assert.ok(left > 0, `no such message among ${JSON.stringify(this.messages.slice(from))}`);
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
    }
  }

  /** Sends with an id of its own and returns the reply. */
  async ask(message: object): Promise<Message> {
    const id = `ask-${this.messages.length}-${Math.random()}`;
    const from = this.messages.length;
    this.send({ ...message, id });
    return this.find((reply) => reply.id === id, from);
  }

  /** Everything the server sent before it answered this ping, and removes it. */
  async drain(): Promise<Message[]> {
    const pong = await this.ask({ op: "ping" });
    const at = this.messages.indexOf(pong);
    return this.messages.splice(0, at + 1).slice(0, at);
  }

  /** Reads nothing any more, so that the server's buffer fills. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close();
  }
}
