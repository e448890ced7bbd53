// Channel book: publishing a market's 200 changes a ledger beside a bare publish of the same bytes to as many
// subscribers; and a snapshot of a large market to 20 clients at once, while another one asks for GET /. Clients are in
// processes of their own.
import assert from "node:assert/strict";
import { LiveDepth } from "../src/book/live-depth.ts";
import { liveSides } from "../src/book/market-sides.ts";
import { AssetInput } from "../src/http/asset-input.ts";
import { Clients } from "../src/http/limits/clients.ts";
import { NO_LIMITS } from "../src/http/limits/listener-limits.ts";
import { bookChannel } from "../src/http/push/channels/book-channel.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { startHttpServer } from "../src/http/server.ts";
import { TurnBudget } from "../src/http/turn-budget.ts";
import { loadUws } from "../src/http/uws.ts";
import { systemClock } from "../src/model/clock.ts";
import type { Order } from "../src/model/order.ts";
import { MemoryReadModel } from "../test/support/http/memory-read-model.ts";
import { EXCHANGE, PASSPHRASE, testContract, testOrder } from "../test/support/http/test-server.ts";
import { attachBare, listen } from "./bare-push.ts";
import type { Bench, Figure } from "./bench.ts";
import { Child } from "./child.ts";
import type { BookRead, BookReaders } from "./http-book-load.ts";
import type { FromLoad, ToLoad } from "./http-push.bench.ts";
import type { QuoteLoad, QuoteLoadResult } from "./http-quote-load.ts";
import { openHttpWorld } from "./http-world.ts";
import { quantile } from "./quantile.ts";

const CHANGES = 200;
const READERS = 20;
/** Requests that are asked one after the other between two looks at whether the readers are done. */
const BATCH = 20;
const BATCHES_ALONE = 10;
/** Digits of it stay as many, and so does a message's length. */
const FIRST_LEDGER = 1_000_000;
const MARKET = `${testContract(1)}/${testContract(2)}`;
const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };

export const bench: Bench = async ({ tiny }) => [
  ...(await publishing(tiny ? { connections: 20, rounds: 3 } : { connections: 1000, rounds: 24 })),
  ...(await snapshots(tiny ? 1000 : 100_000)),
];

type Sizes = { readonly connections: number; readonly rounds: number };

async function publishing(sizes: Sizes): Promise<readonly Figure[]> {
  const uws = loadUws();
  const readModel = new MemoryReadModel();
  readModel.ledger = FIRST_LEDGER;
  readModel.live = Array.from({ length: CHANGES }, (_, at) => testOrder(at));
  let published = "";
  const push = new PushEndpoint({
    log,
    channels: (publish) => [
      bookChannel({
        readModel,
        assets: new AssetInput(PASSPHRASE),
        publish: (topic, json) => {
          published = json;
          publish(topic, json);
        },
      }),
    ],
  });
  const pushApp = uws.App();
  push.attach(pushApp, {
    limits: NO_LIMITS,
    clients: new Clients(NO_LIMITS),
    turn: new TurnBudget(),
    refuses: () => false,
    gone: () => undefined,
  });
  const bareApp = uws.App();
  attachBare(bareApp);
  const sockets = await Promise.all([pushApp, bareApp].map(listen));
  const [pushed, bare] = await Promise.all(
    sockets.map((socket, at) =>
      startLoad(uws.us_socket_local_port(socket), sizes.connections, at === 0),
    ),
  );
  assert.ok(pushed !== undefined && bare !== undefined);
  let ledger = FIRST_LEDGER;
  const step = () => {
    ledger += 1;
    readModel.ledger = ledger;
    const events = readModel.live.map((order) => {
      const changed: Order = { ...order, price: 10n ** 18n + BigInt(ledger) };
      return { kind: "order", action: "update", order: changed } as const;
    });
    const ledgers = [{ ledger, hash: "", closeTime: 0 }];
    push.stepped({ ledgers, ledger, closeTime: 0, changes: [], events });
  };
  // The first one follows each subscriber's snapshot.
  step();
  step();
  const payloadBytes = Buffer.byteLength(published);
  const runs: { push: Run[]; bare: Run[] } = { push: [], bare: [] };
  // In turn, so that whatever else the machine does concerns both.
  for (let round = 0; round < sizes.rounds; round += 1) {
    const publish = (): void => void bareApp.publish("all", published);
    runs.bare.push(await measure(bare, payloadBytes, publish));
    runs.push.push(await measure(pushed, payloadBytes, step));
  }
  await Promise.all([pushed.kill(), bare.kill()]);
  push.close();
  for (const socket of sockets) uws.us_listen_socket_close(socket);
  const median = (of: readonly Run[]) =>
    quantile(
      of.map(({ ms }) => ms),
      0.5,
    );
  const cpu = (of: readonly Run[]) => of.reduce((sum, run) => sum + run.cpuMs, 0) / of.length;
  return [
    { name: "message of 200 changes", value: payloadBytes / 1000, unit: "kB" },
    {
      name: "ledger applied to last subscriber, median",
      value: median(runs.push),
      unit: "ms",
    },
    {
      name: "bare publish to last subscriber, median",
      value: median(runs.bare),
      unit: "ms",
    },
    {
      name: "messages delivered to those of a bare publish",
      value: median(runs.bare) / median(runs.push),
      unit: "ratio",
      goal: "0.9 or more",
    },
    { name: "CPU of the server a ledger", value: cpu(runs.push), unit: "ms" },
    { name: "the same of a bare publish", value: cpu(runs.bare), unit: "ms" },
  ];
}

type Load = Child<ToLoad, FromLoad>;

async function startLoad(port: number, connections: number, subscribes: boolean): Promise<Load> {
  const load: Load = new Child(new URL("./http-push-load.js", import.meta.url));
  const text = JSON.stringify({ op: "subscribe", channel: "book", market: MARKET });
  const subscribe = new Array<readonly string[]>(connections).fill([subscribes ? text : ""]);
  assert.equal((await load.ask({ kind: "open", port, subscribe })).kind, "opened");
  return load;
}

/** `ms`: from a step to the last client. */
type Run = { readonly ms: number; readonly cpuMs: number };

async function measure(load: Load, payloadBytes: number, step: () => void): Promise<Run> {
  const ready = await load.ask({ kind: "expect", payloadBytes, count: 1 });
  assert.equal(ready.kind, "ready");
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  step();
  const received = await load.next();
  assert.ok(received.kind === "received");
  const { user, system } = process.cpuUsage(cpu);
  const ms = Number(BigInt(received.atNs) - start) / 1e6;
  return { ms, cpuMs: (user + system) / 1000 };
}

async function snapshots(orders: number): Promise<readonly Figure[]> {
  const world = await openHttpWorld(orders, 1);
  const readModel = world.exchange.state;
  const assets = new AssetInput(PASSPHRASE);
  const server = await startHttpServer({
    uws: loadUws(),
    ...{ host: "127.0.0.1", port: 0, log },
    context: {
      ...{ readModel, assets, contract: EXCHANGE, clock: systemClock },
      quotes: {
        quoteNow: () => ({ status: "unfeasible", ledger: 1 }),
        quote: () => Promise.resolve({ status: "unfeasible", ledger: 1 }),
      },
      depth: new LiveDepth({ book: world.book, clock: systemClock }),
      book: liveSides(() => world.book.live),
      marketData: readModel.marketData,
      referencePrices: new Map(),
    },
    push: new PushEndpoint({
      channels: (publish) => [bookChannel({ readModel, assets, publish })],
      log,
    }),
    log,
  });
  const { port } = server;
  const reading = new Child<BookReaders, BookRead>(new URL("./http-book-load.js", import.meta.url));
  const asking = new Child<QuoteLoad, QuoteLoadResult>(
    new URL("./http-quote-load.js", import.meta.url),
  );
  const paths = new Array<string>(BATCH).fill("/");
  try {
    // What the machine makes of it without a snapshot.
    const alone: number[] = [];
    for (let batch = 0; batch < BATCHES_ALONE; batch += 1) {
      alone.push(...(await asking.ask({ port, connections: 1, paths })).latenciesUs);
    }
    const latenciesUs: number[] = [];
    let isReading = true;
    const [order] = readModel.liveOrders({ assets: [] }, { limit: 1 });
    assert.ok(order !== undefined);
    const market = `${order.selling}/${order.buying}`;
    const read = reading.ask({ port, connections: READERS, market }).finally(() => {
      isReading = false;
    });
    do latenciesUs.push(...(await asking.ask({ port, connections: 1, paths })).latenciesUs);
    while (isReading);
    const { seconds, bytes } = await read;
    return [
      { name: "orders of a snapshot", value: readModel.liveOrderCount, unit: "orders" },
      { name: "bytes to 20 clients", value: bytes / 1e6, unit: "MB" },
      { name: "until the last of them has it", value: seconds, unit: "s" },
      {
        name: "GET / of another client, median",
        value: quantile(latenciesUs, 0.5) / 1000,
        unit: "ms",
      },
      { name: "GET / before that, p99", value: quantile(alone, 0.99) / 1000, unit: "ms" },
      {
        name: "GET / of another client, p99",
        value: quantile(latenciesUs, 0.99) / 1000,
        unit: "ms",
        goal: "below 100",
      },
    ];
  } finally {
    await Promise.all([reading.kill(), asking.kill()]);
    await server.close();
    await world.close();
  }
}
