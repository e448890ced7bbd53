// Channel book: publishing a market's 200 changes a ledger beside a bare publish of the same bytes to as many
// subscribers; and a snapshot of a large market to 20 clients at once, while another one asks for GET /. Clients are in
// processes of their own.

import assert from "node:assert/strict";
import { AssetInput } from "../src/http/asset-input.ts";
import { bookChannel } from "../src/http/push/channels/book-channel.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import type { Order } from "../src/model/order.ts";
import { MemoryReadModel } from "../test/support/http/memory-read-model.ts";
import { PASSPHRASE, testContract, testOrder } from "../test/support/http/test-server.ts";
import { NO_METER } from "../test/support/http/unlimited.ts";
import { openBeside, type PushRound } from "./bare-push.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { openHttpWorld } from "./http-world.ts";
import { DriverProcess } from "./load/driver-process.ts";
import { quantile } from "./quantile.ts";

const CHANGES = 200;
const READERS = 20;
const REQUESTS_ALONE = 200;
/** Digits of it stay as many, and so does a message's length. */
const FIRST_LEDGER = 1_000_000;
const MARKET = `${testContract(1)}/${testContract(2)}`;
const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };

export const bench: Bench = async ({ tiny }) => [
  ...(await publishing(tiny ? { connections: 20, rounds: 3 } : { connections: 1000, rounds: 24 })),
  ...(await inFolder((folder) => snapshots(folder, tiny ? 1000 : 100_000))),
];

type Sizes = { readonly connections: number; readonly rounds: number };

async function publishing(sizes: Sizes): Promise<readonly Figure[]> {
  const readModel = new MemoryReadModel();
  readModel.ledger = FIRST_LEDGER;
  readModel.live = Array.from({ length: CHANGES }, (_, at) => testOrder(at));
  let published = "";
  const push = new PushEndpoint({
    log,
    meter: NO_METER,
    channels: (publish) => [
      bookChannel({
        readModel,
        assets: new AssetInput(PASSPHRASE),
        publish: (topic, json) => {
          published = json;
          publish(topic, json);
        },
        log,
      }),
    ],
  });
  const subscribe = JSON.stringify({ op: "subscribe", channel: "book", market: MARKET });
  const messages = new Array<string[]>(sizes.connections).fill([subscribe]);
  const beside = await openBeside(push, messages);
  let ledger = FIRST_LEDGER;
  const step = () => {
    ledger += 1;
    readModel.ledger = ledger;
    const events = readModel.live.map((order) => {
      const changed: Order = { ...order, price: 10n ** 18n + BigInt(ledger) };
      return { kind: "order", action: "update", order: changed } as const;
    });
    const ledgers = [{ ledger, hash: "", closeTime: 0 }];
    void push.stepped({ ledgers, ledger, closeTime: 0, changes: [], events });
  };
  // The first one follows each subscriber's snapshot.
  step();
  step();
  const payloadBytes = Buffer.byteLength(published);
  const runs: { push: PushRound[]; bare: PushRound[] } = { push: [], bare: [] };
  // In turn, so that whatever else the machine does concerns both.
  for (let round = 0; round < sizes.rounds; round += 1) {
    const publish = () => beside.publishBare(published);
    runs.bare.push(await beside.bare.round(payloadBytes, 1, publish));
    runs.push.push(await beside.pushed.round(payloadBytes, 1, step));
  }
  await beside.close();
  const median = (of: readonly PushRound[]) =>
    quantile(
      of.map(({ ms }) => ms),
      0.5,
    );
  const cpu = (of: readonly PushRound[]) => of.reduce((sum, run) => sum + run.cpuMs, 0) / of.length;
  return [
    figure("message of 200 changes", payloadBytes / 1000, "kB"),
    figure("ledger applied to last subscriber, median", median(runs.push), "ms"),
    figure("bare publish to last subscriber, median", median(runs.bare), "ms"),
    figure(
      "messages delivered to those of a bare publish",
      median(runs.bare) / median(runs.push),
      "ratio",
      "0.9 or more",
    ),
    figure("CPU of the server a ledger", cpu(runs.push), "ms"),
    figure("the same of a bare publish", cpu(runs.bare), "ms"),
  ];
}

async function snapshots(folder: string, orders: number): Promise<readonly Figure[]> {
  const world = await openHttpWorld(folder, orders, 1);
  const readModel = world.exchange.state;
  const [reading, asking] = [new DriverProcess(), new DriverProcess()];
  try {
    const { url } = world;
    // What the machine makes of it without a snapshot.
    const requests = { url, connections: 1, paths: ["/"], count: REQUESTS_ALONE };
    const alone = await asking.run("requests", requests);
    const [order] = readModel.history.liveOrders({ assets: [] }, { limit: 1 });
    assert.ok(order !== undefined);
    const market = `${order.selling}/${order.buying}`;
    const reads = reading.run("readBooks", { url, connections: READERS, market });
    const { latenciesUs, result } = await asking.statusMeanwhile(url, reads);
    return [
      figure("orders of a snapshot", readModel.markets.orderCount, "orders"),
      figure("bytes to 20 clients", result.bytes / 1e6, "MB"),
      figure("until the last of them has it", result.seconds, "s"),
      figure("GET / of another client, median", quantile(latenciesUs, 0.5) / 1000, "ms"),
      figure("GET / before that, p99", quantile(alone.latenciesUs, 0.99) / 1000, "ms"),
      figure("GET / of another client, p99", quantile(latenciesUs, 0.99) / 1000, "ms", "below 100"),
    ];
  } finally {
    await Promise.all([reading.stop(), asking.stop()]);
    await world.close();
  }
}
