// A Stellar RPC that serves what a test puts into it, faults included, and a clock that moves only by sleeps.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Timer } from "../../src/ingest/ledger-source.ts";
import { type BuiltLedger, TEST_PASSPHRASE } from "./build-ledger.ts";

export type RpcRequest = {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
};

/** What a fault answers: raw text, or nothing at all: the connection is cut, or stays open. */
export type Fault = {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer begins and never ends. */
  readonly halts?: boolean;
  readonly cut?: boolean;
  readonly silent?: boolean;
};

export class FakeRpc {
  readonly ledgers = new Map<number, BuiltLedger>();
  readonly requests: RpcRequest[] = [];
  passphrase = TEST_PASSPHRASE;
  oldest = 0;
  latest = 0;
  healthy = true;
  /** By LedgerKey (base64 XDR) the LedgerEntryData (base64 XDR). */
  readonly entries = new Map<string, string>();
  /** Looked at before every answer. */
  fault: (request: RpcRequest) => Fault | undefined = () => undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  /** Ledgers in addition, `latest` with them; the first ones set `oldest`. */
  add(...ledgers: readonly BuiltLedger[]): void {
    for (const ledger of ledgers) {
      this.ledgers.set(ledger.sequence, ledger);
      if (this.oldest === 0) this.oldest = ledger.sequence;
      this.latest = Math.max(this.latest, ledger.sequence);
    }
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const request = JSON.parse(Buffer.concat(pieces).toString()) as RpcRequest;
    this.requests.push(request);
    const fault = this.fault(request);
    if (fault?.cut === true) {
      response.destroy();
      return;
    }
    if (fault?.silent === true) return;
    const body = fault?.body ?? this.reply(request);
    const headers = { "content-type": "application/json", ...fault?.headers };
    response.writeHead(fault?.status ?? 200, headers);
    if (fault?.halts === true) response.write(body.slice(0, 1));
    else response.end(body);
  }

  /** The body of a sound answer. */
  reply(request: RpcRequest): string {
    return JSON.stringify({ jsonrpc: "2.0", id: request.id, ...this.#answer(request) });
  }

  #answer({ method, params }: RpcRequest): object {
    switch (method) {
      case "getNetwork":
        return { result: { passphrase: this.passphrase, protocolVersion: 23 } };
      case "getHealth": {
        if (!this.healthy)
          return { error: { code: -32603, message: "latency is too high (>30s)" } };
        const { oldest, latest } = this;
        return { result: { status: "healthy", oldestLedger: oldest, latestLedger: latest } };
      }
      case "getLedgers":
        return this.#getLedgers(params as LedgersParams);
      case "getLedgerEntries":
        return { result: this.#getEntries((params as { keys: string[] }).keys) };
      default:
        return { error: { code: -32601, message: "method not found" } };
    }
  }

  #getLedgers({ startLedger, pagination }: LedgersParams): object {
    const { oldest, latest } = this;
    if (startLedger < oldest || startLedger > latest) {
      const message = `start ledger (${startLedger}) must be between the oldest ledger: ${oldest} and the latest ledger: ${latest} for this rpc instance`;
      return { error: { code: -32600, message } };
    }
    const page = [...this.ledgers.values()]
      .filter(({ sequence }) => sequence >= startLedger)
      .sort((a, b) => a.sequence - b.sequence)
      .slice(0, pagination.limit);
    const ledgers = page.map(({ sequence, hash, bytes }) => ({
      hash,
      sequence,
      ledgerCloseTime: "0",
      metadataXdr: Buffer.from(bytes).toString("base64"),
    }));
    return { result: { ledgers, oldestLedger: oldest, latestLedger: latest, cursor: "" } };
  }

  #getEntries(keys: readonly string[]): object {
    const entries = keys.flatMap((key) => {
      const xdr = this.entries.get(key);
      return xdr === undefined ? [] : [{ key, xdr, lastModifiedLedgerSeq: 1 }];
    });
    return { entries, latestLedger: this.latest };
  }
}

type LedgersParams = {
  readonly startLedger: number;
  readonly pagination: { readonly limit: number };
};

/** Time that passes in sleeps alone. `onSleep` runs before a sleep ends, with the time it ends at. */
export class FakeTimer implements Timer {
  time = 1_800_000_000_000;
  onSleep: (now: number) => void = () => {};
  readonly now = (): number => this.time;
  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return;
    this.time += ms;
    this.onSleep(this.time);
  };
}
