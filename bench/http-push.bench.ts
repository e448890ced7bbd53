// Push to many subscribers beside a bare publish of the binding with messages of the same size:
// every connection has trades:* and one of 50 depth topics; clients are in processes of their own.

import assert from "node:assert/strict";
import type { DomainEvent } from "../src/book/domain-event.ts";
import { AssetInput } from "../src/http/asset-input.ts";
import type { Channel } from "../src/http/push/channel.ts";
import { pushChannels } from "../src/http/push/channels.ts";
import { PushEndpoint } from "../src/http/push/endpoint.ts";
import { systemTimers } from "../src/http/push/throttle.ts";
import { canonicalPair } from "../src/model/address.ts";
import type { OrderId } from "../src/model/order.ts";
import type { Trade } from "../src/model/trade.ts";
import { MemoryReadModel } from "../test/support/http/memory-read-model.ts";
import {
  EXCHANGE,
  PASSPHRASE,
  TestWatch,
  testAccount,
  testContract,
  testOrder,
  testPosition,
} from "../test/support/http/test-server.ts";
import { NO_METER } from "../test/support/http/unlimited.ts";
import { openBeside, PushedClients, type PushRound } from "./bare-push.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { quantile } from "./quantile.ts";

const MARKETS = 50;
/** Fills of a ledger: as many messages to every connection. */
const FILLS = 10;
const SLOW_CLIENTS = 100;
const TRADES = '{"op":"subscribe","channel":"trades"}';
const log = { error: (fields: object) => assert.fail(JSON.stringify(fields)) };

export const bench: Bench = async ({ tiny }) => {
  const sizes = tiny ? { connections: 50, rounds: 5 } : { connections: 5000, rounds: 60 };
  const world = createWorld();
  const subscribe = Array.from({ length: sizes.connections }, (_, at) => [
    TRADES,
    JSON.stringify({ op: "subscribe", channel: "depth", market: marketText(at % MARKETS) }),
  ]);
  const beside = await openBeside(world.push, subscribe);
  const { pushed, bare } = beside;
  const message = world.tradeMessage();
  const publishBare = () => {
    for (let fill = 0; fill < FILLS; fill += 1) beside.publishBare(message);
  };
  const payloadBytes = Buffer.byteLength(message);
  // Alternating, so that what else the machine does meets both.
  const { connections, rounds } = sizes;
  const measured: { push: PushRound[]; bare: PushRound[] } = { push: [], bare: [] };
  for (let part = 0; part < 3; part += 1) {
    measured.bare.push(...(await measure(bare, rounds, payloadBytes, publishBare)));
    measured.push.push(...(await measure(pushed, rounds, payloadBytes, world.step)));
  }
  const ours = summary(measured.push, connections);
  const theirs = summary(measured.bare, connections);
  const figures: Figure[] = [
    figure("ledger applied to last client, median", quantile(ours.ms, 0.5), "ms"),
    figure("ledger applied to last client, p99", quantile(ours.ms, 0.99), "ms"),
    figure("bare publish to last client, p99", quantile(theirs.ms, 0.99), "ms"),
    figure(
      "p99 to that of a bare publish",
      quantile(ours.ms, 0.99) / quantile(theirs.ms, 0.99),
      "ratio",
      "1.25 or less",
    ),
    figure("messages delivered", ours.rate, "messages/s"),
    figure(
      "messages delivered to those of a bare publish",
      ours.rate / theirs.rate,
      "ratio",
      "0.8 or more",
    ),
    figure("CPU of the server per delivered message", ours.cpuUs, "us"),
    figure("the same of a bare publish", theirs.cpuUs, "us"),
    figure("memory per connection", pushed.bytesPerConnection, "bytes"),
  ];
  await bare.stop();
  const slowMessages = new Array<string[]>(tiny ? 5 : SLOW_CLIENTS).fill([TRADES]);
  const slow = await new PushedClients().open(beside.port, slowMessages);
  await slow.stopReading();
  const before = process.memoryUsage().rss;
  const besideSlow = await measure(pushed, 3 * rounds, payloadBytes, world.step);
  figures.push(
    figure(
      "pace beside clients that do not read, to alone",
      summary(besideSlow, connections).rate / ours.rate,
      "ratio",
    ),
    figure("memory grown beside them", (process.memoryUsage().rss - before) / 2 ** 20, "MiB"),
    figure("of them still connected", world.push.connectionCount - connections, "connections"),
  );
  await slow.stop();
  await beside.close();
  return figures;
};

function createWorld() {
  const readModel = new MemoryReadModel();
  readModel.ledger = 1;
  const assets = new AssetInput(PASSPHRASE);
  let ledger = 1;
  const levels = Array.from({ length: 50 }, (_, at) => [`1.${at + 10}`, "123.4567"] as const);
  let channels: readonly Channel[] = [];
  let published = "";
  const push = new PushEndpoint({
    log,
    meter: NO_METER,
    channels: (publish, broken) => {
      channels = pushChannels(
        {
          readModel,
          // Every ledger changes every book.
          depth: {
            now: () => ({
              ledger,
              timestamp: ledger,
              step: "0.01",
              bestBid: `${ledger}`,
              bestAsk: null,
              bids: levels,
              asks: levels,
            }),
            later: () => assert.fail("read at once"),
          },
          watch: new TestWatch(),
          assets,
          contract: EXCHANGE,
          timers: systemTimers,
          log,
        },
        (topic, json) => {
          published = json;
          publish(topic, json);
        },
        broken,
      );
      return channels;
    },
  });
  const fills = (at: number): DomainEvent[] =>
    Array.from({ length: FILLS }, (_, fill) => {
      const market = (at * FILLS + fill) % MARKETS;
      const trade: Trade = {
        type: "trade",
        id: testPosition(100_000),
        order: (10n ** 38n) as OrderId,
        taker: testAccount(1),
        maker: testAccount(2),
        soldAsset: testContract(market),
        boughtAsset: testContract(MARKETS),
        sold: 200n,
        bought: 50n,
        left: 0n,
        crossfill: false,
        timestamp: 1_700_000_000,
      };
      return { kind: "trade", market: canonicalPair(trade.soldAsset, trade.boughtAsset), trade };
    });
  const touched: DomainEvent[] = Array.from({ length: MARKETS }, (_, market) => ({
    kind: "order",
    action: "new",
    order: testOrder(1, { selling: testContract(market), buying: testContract(MARKETS) }),
  }));
  const step = () => {
    ledger += 1;
    readModel.ledger = ledger;
    void push.stepped({
      ledgers: [{ ledger, hash: "", closeTime: 0 }],
      ledger,
      closeTime: 0,
      changes: [],
      events: [...touched, ...fills(ledger)],
    });
  };
  /** What the trades channel sends of a fill: as long for each of them. */
  const tradeMessage = () => {
    const trades = channels.find(({ name }) => name === "trades");
    trades
      ?.request({ has: () => false, lenient: () => [], all: () => [], one: () => undefined })
      .opened();
    const events = fills(0).slice(0, 1);
    trades?.stepped({ ledgers: [], ledger: 1, closeTime: 0, changes: [], events });
    return published;
  };
  return { push, step, tradeMessage };
}

function marketText(market: number): string {
  return `${testContract(market)}/${testContract(MARKETS)}`;
}

async function measure(
  clients: PushedClients,
  rounds: number,
  payloadBytes: number,
  step: () => void,
): Promise<readonly PushRound[]> {
  const measured: PushRound[] = [];
  while (measured.length < rounds) measured.push(await clients.round(payloadBytes, FILLS, step));
  return measured;
}

function summary(rounds: readonly PushRound[], connections: number) {
  const sum = (of: (round: PushRound) => number) => rounds.reduce((all, one) => all + of(one), 0);
  const delivered = rounds.length * FILLS * connections;
  return {
    ms: rounds.map(({ ms }) => ms),
    rate: (1000 * delivered) / sum(({ ms }) => ms),
    cpuUs: (1000 * sum(({ cpuMs }) => cpuMs)) / delivered,
  };
}
