// Between the engine and its RPC: passes everything on, or misbehaves in one of the ways that RPCs
// behind load balancers do.
import { Agent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { closeServer, listenLocally, postJson } from "../../test/support/http/relaying.ts";

/** Without an answer that could be used. */
export const GONE_MODES = [
  "gone",
  "hanging",
  "halting",
  "failing",
  "slow",
  "overloaded",
  "another network",
] as const;
/** With answers that are wrong. */
export const LYING_MODES = [
  "garbage",
  "cut off",
  "ended early",
  "without ledgers",
  "with a ledger missing",
  "in reverse order",
  "with every ledger twice",
  "ahead of itself",
  "of the far future",
  "with damaged ledgers",
  "with ledgers cut short",
  "with ledgers too long",
  "with an error",
  "with failing simulations",
] as const;
/** As of a ledger that is past: all of them, or every third, as of one server of many. */
export const LAGGING_MODES = ["standing still", "lagging now and then"] as const;
export type ProxyMode =
  | "honest"
  | (typeof GONE_MODES)[number]
  | (typeof LYING_MODES)[number]
  | (typeof LAGGING_MODES)[number];

const SLOW_MS = 1500;
const AHEAD_LEDGERS = 500;
/** Bytes of a ledger's meta in which its own hash lies, and nothing that tells lengths. */
const HASH_AT = 24;

/** Every so many answers of one server of a balancer. */
const LAGGING_EVERY = 3;
const FAR_FUTURE = 4_000_000_000;

type Page = { ledgers: { sequence: number; metadataXdr: string }[]; latestLedger: number };
type Answer = { result?: Partial<Page> & { error?: string; passphrase?: string } };

export class FaultProxy {
  readonly #target: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, response) => {
    this.#serve(incoming, response).catch(() => response.destroy());
  });
  #mode: ProxyMode = "honest";
  /** Where a server that lags stands still. */
  #stillAt: number | undefined;
  #turn = 0;

  constructor(target: string) {
    this.#target = target;
  }

  listen(): Promise<string> {
    return listenLocally(this.#server);
  }

  /** Whoever waits for an answer of the mode before is cut off. */
  set mode(mode: ProxyMode) {
    this.#mode = mode;
    this.#stillAt = undefined;
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await closeServer(this.#server);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const mode = this.#mode;
    if (mode === "gone") {
      incoming.socket.destroy();
      return;
    }
    const asked = await bodyOf(incoming);
    if (mode === "hanging") return;
    if (mode === "halting") {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("{");
      return;
    }
    if (mode === "overloaded") {
      response.writeHead(429, { "retry-after": "1" }).end();
      return;
    }
    if (mode === "failing") return end(response, 503, "upstream connect error");
    if (mode === "garbage") return end(response, 200, "\u0000<html>\ufffd{");
    if (mode === "slow") await delay(SLOW_MS);
    const answer = await bodyOf(await postJson(this.#target, this.#agent, asked));
    if (mode === "cut off") {
      response.writeHead(200, { "content-length": answer.length });
      response.write(answer.subarray(0, answer.length / 2), () => incoming.socket.destroy());
      return;
    }
    if (mode === "ended early") return end(response, 200, answer.subarray(0, answer.length / 2));
    if (mode === "standing still" || mode === "lagging now and then") {
      this.#turn += 1;
      const isOld = mode === "standing still" || this.#turn % LAGGING_EVERY === 0;
      return end(response, 200, isOld ? this.#old(answer) : answer);
    }
    return end(response, 200, mode === "honest" ? answer : bent(answer, mode));
  }

  /** The answer as of the ledger at which this server stands still. */
  #old(answer: Buffer): Buffer {
    const json = JSON.parse(answer.toString()) as Answer & Record<string, unknown>;
    const { result } = json;
    if (result?.latestLedger === undefined) return answer;
    this.#stillAt ??= result.latestLedger;
    const latest = this.#stillAt;
    result.latestLedger = latest;
    const asked = result.ledgers?.[0]?.sequence ?? 0;
    result.ledgers &&= result.ledgers.filter(({ sequence }) => sequence <= latest);
    if (result.ledgers === undefined || asked <= latest) return toBuffer(json);
    const message = `start ledger (${asked}) must be between the oldest ledger: 1 and the latest ledger: ${latest} for this rpc instance`;
    return toBuffer({ id: json.id, error: { code: -32600, message } });
  }
}

/** A page of ledgers as the mode lies about it; any other answer is an error or as it is. */
function bent(answer: Buffer, mode: ProxyMode): Buffer {
  const json = JSON.parse(answer.toString()) as Answer & Record<string, unknown>;
  if (mode === "with an error") {
    const { result: _, ...rest } = json;
    return toBuffer({ ...rest, error: { code: -32603, message: "internal error" } });
  }
  const { result } = json;
  if (mode === "another network") {
    if (result?.passphrase === undefined) return toBuffer({ id: json.id, error: OTHER_ERROR });
    result.passphrase = "Another network";
    return toBuffer(json);
  }
  if (mode === "of the far future" && result?.latestLedger !== undefined) {
    result.latestLedger = FAR_FUTURE;
    return toBuffer(json);
  }
  if (mode === "with failing simulations" && result !== undefined && "minResourceFee" in result) {
    const { latestLedger } = result;
    return toBuffer({ id: json.id, result: { latestLedger, error: "preflight queue full" } });
  }
  if (result?.ledgers === undefined) return answer;
  PAGE_LIES[mode]?.(result as Page);
  return toBuffer(json);
}

const OTHER_ERROR = { code: -32603, message: "data stores are not initialized" };

const PAGE_LIES: Readonly<Partial<Record<ProxyMode, (page: Page) => void>>> = {
  "without ledgers": (page) => {
    page.ledgers = [];
  },
  "with a ledger missing": (page) => {
    page.ledgers = page.ledgers.slice(1);
  },
  "in reverse order": (page) => {
    page.ledgers = page.ledgers.toReversed();
  },
  "with every ledger twice": (page) => {
    page.ledgers = page.ledgers.flatMap((ledger) => [ledger, ledger]);
  },
  "ahead of itself": (page) => {
    page.latestLedger += AHEAD_LEDGERS;
  },
  "with damaged ledgers": ({ ledgers }) => {
    for (const ledger of ledgers) ledger.metadataXdr = damaged(ledger.metadataXdr);
  },
  "with ledgers cut short": ({ ledgers }) => {
    for (const ledger of ledgers) {
      const bytes = Buffer.from(ledger.metadataXdr, "base64");
      ledger.metadataXdr = bytes.subarray(0, bytes.length - 12).toString("base64");
    }
  },
  "with ledgers too long": ({ ledgers }) => {
    for (const ledger of ledgers) {
      const bytes = Buffer.from(ledger.metadataXdr, "base64");
      ledger.metadataXdr = Buffer.concat([bytes, Buffer.alloc(8)]).toString("base64");
    }
  },
};

function damaged(xdr: string): string {
  const bytes = Buffer.from(xdr, "base64");
  bytes.writeUInt32BE(~bytes.readUInt32BE(HASH_AT) >>> 0, HASH_AT);
  return bytes.toString("base64");
}

function toBuffer(json: object): Buffer {
  return Buffer.from(JSON.stringify(json));
}

function end(response: ServerResponse, status: number, body: string | Buffer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
