// What the tests ask of an engine's API.
import assert from "node:assert/strict";
import { describedFetch } from "../support/api/described-fetch.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON as the engine sent it; tests compare it.
export type Row = any;

/** Times that a quote is asked for where a busy machine leaves no time for it. */
const TRIES_MAX = 20;
/** Pages a list may have before a test takes it for endless. */
const PAGES_MAX = 10_000;

export class ApiClient {
  readonly url: string;

  constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  async get(path: string): Promise<Row> {
    let response = await describedFetch(this.url + path);
    for (let tries = 1; response.status === 409 && tries < TRIES_MAX; tries += 1) {
      await response.body?.cancel();
      response = await describedFetch(this.url + path);
    }
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  }

  /** A client that asks for each path once and keeps the answer: for many comparisons with one state. */
  remembering(): ApiClient {
    const known = new Map<string, Promise<Row>>();
    const get = (path: string): Promise<Row> => {
      const answer = known.get(path) ?? this.get(path);
      known.set(path, answer);
      return answer;
    };
    return Object.assign(Object.create(ApiClient.prototype), { url: this.url, get });
  }

  /** All rows of a list endpoint, page by page. */
  async all(path: string, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const cursor = rows.at(-1)?.cursor ?? "";
      const next: Row[] = await this.get(`${path}?limit=${limit}&cursor=${cursor}`);
      if (next.length === 0) return rows;
      rows.push(...next);
    }
    return assert.fail(`${path} does not end`);
  }

  /** Resolves once the engine has processed the ledger. */
  async reached(ledger: number, timeoutMs = 120_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let seen: unknown;
    while (Date.now() < deadline) {
      seen = await this.get("/");
      if (((seen as Row).ledger ?? 0) >= ledger) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`ledger ${ledger} was not reached: ${JSON.stringify(seen)}`);
  }
}
