// Requests and messages of a run, each checked against the documents and kept as an example.

import assert from "node:assert/strict";
import WebSocket from "ws";
import type { RecordedAnswer, RecordedMessage } from "../../src/api/examples.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { Row } from "../e2e/api-client.ts";
import { checkMessage, checkPushMessage } from "../support/api/conformance.ts";
import { describedFetch } from "../support/api/described-fetch.ts";

/** Generous: machines that run tests can be slow. */
export const WAIT_MS_MAX = 60_000;
/** A quote's answer after its time limit, of which the description has other examples. */
const TOO_LATE = /The quote took too long\.$/;

export class Recording {
  readonly answers: Record<string, RecordedAnswer[]> = {};
  readonly messages: Record<string, RecordedMessage[]> = {};
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** The answer's body; kept under the operation, checked to have the status. */
  async ask(
    operationId: string,
    example: { readonly name: string; readonly summary: string; readonly status?: number },
    request: string,
  ): Promise<Row> {
    const { name, summary, status = 200 } = example;
    const deadline = Date.now() + WAIT_MS_MAX;
    let response: Response;
    let body: Row;
    do {
      response = await describedFetch(this.url + request);
      body = await response.json();
      // On a busy machine a client asks again.
    } while (TOO_LATE.test(body?.error) && Date.now() < deadline);
    assert.equal(response.status, status, `${request}: ${JSON.stringify(body)}`);
    const kept = this.answers[operationId] ?? [];
    this.answers[operationId] = kept;
    kept.push({ name, summary, request, status, body });
    return body;
  }

  /** An answer that is not kept. */
  async get(request: string): Promise<Row> {
    return (await describedFetch(this.url + request)).json();
  }

  /** All that are live. */
  async orders(): Promise<readonly Row[]> {
    const all: Row[] = [];
    let page: Row[] = [];
    do {
      page = await this.get(`/order?limit=200&cursor=${page.at(-1)?.cursor ?? ""}`);
      all.push(...page);
    } while (page.length > 0);
    return all;
  }

  /** Who has live orders, those with the fewest first. */
  async makers(): Promise<readonly string[]> {
    const counts = new Map<string, number>();
    for (const { owner } of await this.orders()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return [...counts].sort(([, a], [, b]) => a - b).map(([owner]) => owner);
  }

  keep(channel: string, example: RecordedMessage): void {
    checkMessage(example.schema, example.message);
    const kept = this.messages[channel] ?? [];
    this.messages[channel] = kept;
    kept.push(example);
  }
}

/** A push connection that remembers what it got, by schema. */
export class RecordedConnection {
  readonly received: { readonly schema: string; readonly message: Row }[] = [];
  readonly #socket: WebSocket;
  #wake: () => void = () => undefined;

  constructor(url: string) {
    this.#socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
    this.#socket.on("message", (data) => {
      const message: unknown = JSON.parse(String(data));
      this.received.push({ schema: checkPushMessage(message), message });
      this.#wake();
    });
  }

  async opened(): Promise<void> {
    await new Promise((resolve, reject) => {
      this.#socket.once("open", resolve).once("error", reject);
    });
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  sendBinary(): void {
    this.#socket.send(Buffer.from([1]));
  }

  /** The first message, from the beginning, that is wanted. */
  async find(wanted: (schema: string, message: Row) => boolean, what: string): Promise<Row> {
    const deadline = Date.now() + WAIT_MS_MAX;
    for (;;) {
      const found = this.received.find(({ schema, message }) => wanted(schema, message));
      if (found !== undefined) return found.message;
      const left = deadline - Date.now();
      assert.ok(left > 0, `no ${what}`);
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timeout);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.#socket.close();
  }
}

/** The world of the run, as its steps see it. */
export type RecordedWorld = {
  readonly recording: Recording;
  readonly devnet: Devnet;
  /** Closes so many ledgers; resolves once they are processed. */
  readonly ledgers: (count: number) => Promise<void>;
  /** A call of the exchange in the next ledger. */
  readonly call: (source: string, fn: string, args: readonly Value[]) => void;
};
