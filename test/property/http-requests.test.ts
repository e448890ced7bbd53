// Whatever a client sends, it gets an answer of the API's own within a second, and never a 500.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { ENDPOINTS, type Endpoint } from "../../src/api/endpoints.ts";
import type { Parameter } from "../../src/api/parameters.ts";
import { checkAnswer } from "../support/api/conformance.ts";
import { type ApiServer, startApiServer } from "../support/api-server.ts";
import { sendRaw } from "../support/http/raw-client.ts";
import { NASTY_TEXTS } from "../support/nasty.ts";
import { runs } from "../support/runs.ts";

/** CPU time of client and server together, which does not grow with the load of the machine. */
const ANSWER_MS_MAX = 1000;
/** A garbage collection can fall into one answer, but not into each of so many to the same request. */
const ATTEMPTS_MAX = 5;
const RUNS = runs(80);
const STATUSES: readonly number[] = [200, 400, 404, 409, 414, 426];
/** Beside what endpoints know. */
const ODD_NAMES = ["pretty_print", "pair[]", "__proto__", "constructor", "", "%00", "limit%00"];
const ODD_PATHS = [
  "/ws",
  "/order/",
  "/account/",
  "//",
  "/order//",
  "/Order",
  "/ticker/24h/",
  "/%2e",
];

let server: ApiServer;
let client: KeepAlive;
/** Values that are right, by parameter. */
let right: Readonly<Record<string, readonly string[]>>;

before(async () => {
  server = await startApiServer(3);
  client = new KeepAlive(server.port);
  const [order] = server.orders;
  assert.ok(order !== undefined && server.orders.length > 3);
  // Or quotes would be answered without a search.
  assert.ok(!server.exchange.state.contract.frozen);
  const { selling, buying, owner, cursor, id } = order;
  right = {
    sellingAsset: [buying],
    buyingAsset: [selling],
    amount: ["10000000"],
    direction: ["strict_receive"],
    direct: ["true"],
    maxPrice: ["1000000000000000000"],
    market: [`${selling}/${buying}`],
    depth: ["100"],
    step: ["0.01"],
    from: ["1700000000"],
    to: ["1700003600"],
    resolution: ["300"],
    order: ["asc", `${id}`],
    limit: ["2"],
    cursor: [`${cursor}`],
    asset: [selling],
    pair: [selling, buying],
    owner: [owner],
    trader: [owner],
    account: [owner],
    address: [owner],
    fn: ["swap"],
    id: [`${id}`],
  };
});

after(async () => {
  client.close();
  await server.close();
});

async function inTime(target: string) {
  for (let attempt = 1; ; attempt += 1) {
    const start = process.cpuUsage();
    const answer = await client.get(target);
    const { user, system } = process.cpuUsage(start);
    if ((user + system) / 1000 < ANSWER_MS_MAX) return answer;
    assert.ok(attempt < ATTEMPTS_MAX, `too late: ${target.slice(0, 300)}: ${answer.status}`);
  }
}

/** Asks, and checks that the answer is one of the API's, in time. */
async function ask(target: string): Promise<number> {
  const { status, body } = await inTime(target);
  const shown = `${target.slice(0, 300)}: ${status} ${body.slice(0, 300)}`;
  assert.ok(STATUSES.includes(status), shown);
  if (body === "API endpoint was not found") return status;
  checkAnswer({ target, status, contentType: "application/json", text: body });
  const json: unknown = JSON.parse(body);
  if (status !== 200) assert.equal((json as { status: number }).status, status, shown);
  return status;
}

type Pair = readonly [name: string, value: string];

function rightPairs({ name, schema }: Parameter): readonly Pair[] {
  // Candles have an `order` in time, events that of an id.
  const fits = (value: string) =>
    name !== "order" || (schema.enum?.includes(value) ?? value !== "asc");
  return (right[name] ?? []).filter(fits).map((value) => [name, value]);
}

/** Of each group an endpoint takes one. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  "/order-events": ["order", "owner", "market"],
};

/** Those that may stand beside `one`, or together where it is undefined. */
function besides({ path, parameters }: Endpoint, one?: Parameter): readonly Parameter[] {
  const group = ALTERNATIVES[path] ?? [];
  const [first = ""] = group;
  const kept = one === undefined ? first : group.includes(one.name) ? "" : first;
  return parameters.filter(
    (other) => other !== one && (other.name === kept || !group.includes(other.name)),
  );
}

/** The endpoint's target with these values in its path and query. */
function targetOf(path: string, parameters: readonly Parameter[], query: readonly Pair[]): string {
  const inPath = parameters.find((parameter) => parameter.in === "path");
  const value = query.find(([name]) => name === inPath?.name)?.[1] ?? "";
  const text = query
    .filter(([name]) => name !== inPath?.name)
    .map(([name, of]) => `${name}=${of}`)
    .join("&");
  return path.replace(/\{\w+\}/, () => value) + (text === "" ? "" : `?${text}`);
}

test("the values that other tests spoil are right", async () => {
  for (const endpoint of ENDPOINTS) {
    const { path, parameters } = endpoint;
    for (const { name } of parameters) assert.ok(name in right, `${path}: ${name}`);
    // The cursor of /markets is one of its own.
    const given = besides(endpoint).filter(({ name }) => name !== "cursor");
    const status = await ask(targetOf(path, parameters, given.flatMap(rightPairs)));
    // This exchange follows no backing: right, and not tracked.
    assert.equal(status, path === "/backing" ? 404 : 200, path);
  }
  assert.deepEqual(server.logged, []);
});

test("each parameter of each endpoint answers nasty values while the others are right", async () => {
  let asked = 0;
  for (const endpoint of ENDPOINTS) {
    const { path, parameters } = endpoint;
    for (const parameter of parameters) {
      const others = besides(endpoint, parameter).flatMap(rightPairs);
      for (const name of [parameter.name, ...(parameter.aliases ?? [])]) {
        for (const nasty of NASTY_TEXTS) {
          // Alone, in front of a right value and behind it.
          const [good = ["", ""]] = rightPairs(parameter);
          const spoilt: readonly (readonly Pair[])[] = [
            [[name, nasty]],
            [[name, nasty], good],
            [good, [name, nasty]],
          ];
          for (const pairs of spoilt) await ask(targetOf(path, parameters, [...pairs, ...others]));
          asked += spoilt.length;
        }
      }
    }
  }
  assert.ok(asked > 5000, `${asked} requests`);
  assert.deepEqual(server.logged, []);
});

const value = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => encodeURIComponent(text)),
  fc.string({ unit: "binary-ascii", maxLength: 20 }).map(printable),
  fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }).map(String),
  fc.double().map(String),
);

/** What may stand in a request line as it is. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "");
}

test("any path and query is answered", async () => {
  const names = ENDPOINTS.flatMap(({ parameters }) =>
    parameters.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  );
  const target = fc
    .record({
      path: fc.oneof(
        fc.constantFrom(...ENDPOINTS.map(({ path }) => path.replace(/\{\w+\}/, "")), ...ODD_PATHS),
        fc.string({ unit: "binary-ascii", maxLength: 30 }).map((text) => `/${printable(text)}`),
      ),
      tail: fc.option(value, { nil: "", freq: 3 }),
      query: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names, ...ODD_NAMES), value), value), {
        maxLength: 6,
      }),
    })
    .map(({ path, tail, query }) => {
      const text = query.map(([name, of]) => `${name}=${of}`).join("&");
      return `${path}${path.endsWith("/") ? tail : ""}${text === "" ? "" : `?${text}`}`;
    });
  await fc.assert(
    fc.asyncProperty(target, async (path) => void (await ask(path))),
    { numRuns: RUNS },
  );
  assert.deepEqual(server.logged, []);
});

test("any mixture of right and wrong parameters is answered", async () => {
  const request = fc.constantFrom(...ENDPOINTS).chain(({ path, parameters }) => {
    const pairs = parameters.map((parameter) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(rightPairs(parameter)) },
        { weight: 1, arbitrary: fc.constant<readonly Pair[]>([]) },
        {
          weight: 2,
          arbitrary: fc.array(
            fc.tuple(fc.constantFrom(parameter.name, ...(parameter.aliases ?? [])), value),
            { maxLength: 3 },
          ),
        },
      ),
    );
    return fc.tuple(...pairs).map((chosen) => targetOf(path, parameters, chosen.flat()));
  });
  await fc.assert(
    fc.asyncProperty(request, async (target) => void (await ask(target))),
    { numRuns: RUNS },
  );
  assert.deepEqual(server.logged, []);
});

const UPGRADE = {
  upgrade: ["websocket", "WebSocket", "h2c", "", "websocket, h2c", "\u00ff"],
  connection: ["Upgrade", "keep-alive, Upgrade", "close", ""],
  "sec-websocket-key": [
    "dGhlIHNhbXBsZSBub25jZQ==",
    "dGhlIHNhbXBsZSBub25jZQ=",
    "",
    "!".repeat(24),
    "a".repeat(2000),
  ],
  "sec-websocket-version": ["13", "8", "", "13.0", "99999999999999999999"],
  "sec-websocket-protocol": ["", "chat, superchat", ",,,", "\u00ff", "x".repeat(1000)],
  "sec-websocket-extensions": [
    "",
    "permessage-deflate",
    "permessage-deflate; client_max_window_bits=99999999999999999999",
    "permessage-deflate; server_max_window_bits=0; client_no_context_takeover=1",
    'x-unknown; a="b, c"; ;;;, ,',
    "permessage-deflate,".repeat(50),
  ],
} as const;

test("any upgrade request of the push path is answered, and the next client served", async () => {
  const headers = fc.record(
    Object.fromEntries(
      Object.entries(UPGRADE).map(([name, values]) => [
        name,
        fc.oneof(
          { weight: 4, arbitrary: fc.constant(values[0]) },
          { weight: 2, arbitrary: fc.constantFrom(...values) },
          {
            weight: 1,
            arbitrary: fc.string({ unit: "binary-ascii", maxLength: 40 }).map(printable),
          },
        ),
      ]),
    ),
    { requiredKeys: [] },
  );
  let upgraded = 0;
  await fc.assert(
    fc.asyncProperty(headers, async (fields) => {
      const lines = Object.entries(fields).map(([name, text]) => `${name}: ${text}\r\n`);
      const bytes = Buffer.from(`GET /ws HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n`, "latin1");
      const { text } = await sendRaw(server.port, [bytes], (got) => got.includes("\r\n\r\n"));
      const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(text)?.[1]);
      assert.ok([101, 400, 426].includes(status), `${JSON.stringify(fields)}: ${text}`);
      if (status === 101) upgraded += 1;
    }),
    { numRuns: RUNS / 2 },
  );
  assert.ok(upgraded > 0);
  assert.equal(await ask("/contract"), 200);
  assert.deepEqual(server.logged, []);
});

/** Requests one after the other on one connection, whose text no client library corrects. */
class KeepAlive {
  readonly #socket;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    this.#socket.on("close", () => this.#wake());
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    this.#socket.write(Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, "latin1"));
    for (;;) {
      const answer = this.#answer();
      if (answer !== undefined) return answer;
      assert.ok(!this.#socket.closed, `the connection was closed on ${path}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#socket.end();
  }

  #answer() {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = this.#received.toString("latin1", 0, end);
    const length = Number(/content-length: ([0-9]+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.toString("utf8", end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return { status: Number(head.slice(9, 12)), body };
  }
}
