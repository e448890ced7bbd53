// The push part of the run: every channel's snapshot, and ledgers until every update was seen.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { addressValue, bool, i128 } from "../../src/devnet/contract/value.ts";
import { address } from "../../src/model/address.ts";
import type { Row } from "../e2e/api-client.ts";
import type { RecordedWorld } from "./recording.ts";
import { RecordedConnection, WAIT_MS_MAX } from "./recording.ts";

/** Fills and swaps that are there before anyone subscribes. */
const TRADES_MIN = 60;
/** Ledgers that may pass until the traffic did everything that is waited for. */
const LEDGERS_MAX = 150;
const LEDGERS_AT_ONCE = 10;
/** Throttled channels speak once a second: what has not come by then needs another ledger. */
const THROTTLE_MS = 1200;
const LOOK_MS = 50;

type Wanted = {
  readonly channel: string;
  readonly schema: string;
  readonly summary: string;
  readonly matches?: (message: Row) => boolean;
};

const hasAction = (action: string) => (message: Row) => message.action === action;
const hasKind = (kind: string) => (message: Row) => message.kind === kind;

/** Updates to wait for. Snapshots of channels whose updates have their shape carry an id. */
const UPDATES: readonly Wanted[] = [
  {
    channel: "contract",
    schema: "ContractUpdate",
    summary: "Another minimum trade size",
    matches: hasKind("config"),
  },
  {
    channel: "contract",
    schema: "ContractUpdate",
    summary: "A market was checked again",
    matches: hasKind("market"),
  },
  {
    channel: "contract",
    schema: "ContractUpdate",
    summary: "Trading was suspended",
    matches: (message) => message.kind === "freeze" && message.data.frozen,
  },
  { channel: "contract", schema: "LedgerProcessed", summary: "A ledger was processed" },
  ...["new", "fill", "filled", "update", "cancel", "expire"].map((action) => ({
    channel: "account",
    schema: "OrderUpdate",
    summary: `An order of the account: ${action}`,
    matches: hasAction(action),
  })),
  {
    channel: "account",
    schema: "BackingUpdate",
    summary: "What stands behind the account's orders changed",
    matches: (message) => message.backing?.headroom !== undefined,
  },
  { channel: "account", schema: "AccountTrade", summary: "The account took an order" },
  { channel: "account", schema: "AccountSwap", summary: "The account made a swap" },
  {
    channel: "trades",
    schema: "TradeUpdate",
    summary: "A fill",
    matches: ({ trade }) => trade.crossfill === undefined,
  },
  {
    channel: "trades",
    schema: "TradeUpdate",
    summary: "The fill of a crossfill's taker order",
    matches: ({ trade }) => trade.crossfill === true,
  },
  ...["new", "update", "fill", "filled", "cancel", "expire", "backing"].map((cause) => ({
    channel: "book",
    schema: "BookChanges",
    summary: `A change of the book: ${cause}`,
    matches: (message: Row) => message.changes.some((change: Row) => change.cause === cause),
  })),
  { channel: "candles", schema: "CandleUpdate", summary: "A candle that a fill changed" },
  {
    channel: "ticker",
    schema: "TickerMessage",
    summary: "Every market again",
    matches: ({ id }) => id === undefined,
  },
  {
    channel: "depth",
    schema: "DepthMessage",
    summary: "The whole book again",
    matches: ({ id }) => id === undefined,
  },
  {
    channel: "quote",
    schema: "QuoteMessage",
    summary: "The quote changed",
    matches: ({ id }) => id === undefined,
  },
];

export async function recordMessages(world: RecordedWorld): Promise<void> {
  const { recording, ledgers } = world;
  let traded: readonly Row[] = [];
  for (
    let closed = 0;
    closed < LEDGERS_MAX && traded.length < TRADES_MIN;
    closed += LEDGERS_AT_ONCE
  ) {
    await ledgers(LEDGERS_AT_ONCE);
    traded = await recording.get(`/trades?limit=${TRADES_MIN}`);
  }
  const connection = new RecordedConnection(recording.url);
  const accounts = new RecordedConnection(recording.url);
  await Promise.all([connection.opened(), accounts.opened()]);
  await recordConnection(world, connection);
  await recordSnapshots(world, connection, accounts);
  await bringAbout(world);
  const found = (wanted: Wanted): Row | undefined =>
    [...connection.received, ...accounts.received].find(
      ({ schema, message }) =>
        schema === wanted.schema && (wanted.matches === undefined || wanted.matches(message)),
    )?.message;
  let missing = UPDATES;
  const look = async (): Promise<void> => {
    for (const untilMs = performance.now() + THROTTLE_MS; ; await delay(LOOK_MS)) {
      missing = missing.filter((wanted) => found(wanted) === undefined);
      if (missing.length === 0 || performance.now() > untilMs) return;
    }
  };
  for (let closed = 0; closed < LEDGERS_MAX && missing.length > 0; closed += LEDGERS_AT_ONCE) {
    await ledgers(LEDGERS_AT_ONCE);
    await look();
  }
  // A busy machine may be late with what is throttled, and take several ledgers in one step, where an
  // order's later change hides an earlier one.
  for (let waitedMs = 0; missing.length > 0 && waitedMs < WAIT_MS_MAX; waitedMs += THROTTLE_MS) {
    await ledgers(1);
    await look();
  }
  assert.deepEqual(missing, [], "updates that did not come");
  for (const wanted of UPDATES) {
    const { channel, schema, summary } = wanted;
    recording.keep(channel, { schema, summary, message: found(wanted) });
  }
  connection.close();
  accounts.close();
}

/** What the traffic does seldom or never. */
async function bringAbout({ recording, call, ledgers }: RecordedWorld): Promise<void> {
  const { config, markets } = await recording.get("/contract");
  const [market] = markets;
  call(config.safetyAdmin, "set_floor", [i128(10_000_000n)]);
  call(config.safetyAdmin, "requote", [
    addressValue(address(market.base)),
    addressValue(address(market.quote)),
  ]);
  await ledgers(1);
  call(config.safetyAdmin, "freeze", [bool(true)]);
  await ledgers(1);
  const request = `/quote?sellingAsset=${market.base}&buyingAsset=${market.quote}&amount=10000000`;
  const example = { name: "rejected", summary: "The contract is frozen" };
  await recording.ask("getQuote", example, request);
  call(config.safetyAdmin, "freeze", [bool(false)]);
  await ledgers(1);
}

/** Replies that belong to no channel, errors among them. */
async function recordConnection(
  { recording }: RecordedWorld,
  connection: RecordedConnection,
): Promise<void> {
  const keep = (schema: string, summary: string, message: Row): void =>
    recording.keep("connection", { schema, summary, message });
  const ask = async (request: Row, summary: string): Promise<void> => {
    connection.send(request);
    const reply = await connection.find((_, { id }) => id === request.id, JSON.stringify(request));
    keep(reply.type === "pong" ? "Pong" : "PushError", summary, reply);
  };
  const ping = { op: "ping", id: 1 };
  keep("PingRequest", "A heartbeat", ping);
  await ask(ping, "The answer to a heartbeat");
  await ask({ op: "subscribe", channel: "news", id: 2 }, "An unknown channel");
  await ask({ op: "shout", id: 3 }, "An unknown op");
  await ask({ op: "subscribe", channel: "depth", market: "XLM", id: 4 }, "A wrong parameter");
  await ask({ op: "subscribe", channel: "account", address: "G", id: 5 }, "A wrong address");
  connection.sendBinary();
  const refused = await connection.find(
    (_, { type, id }) => type === "error" && id === undefined,
    "",
  );
  keep("PushError", "A binary frame", refused);
}

async function recordSnapshots(
  { recording }: RecordedWorld,
  connection: RecordedConnection,
  accounts: RecordedConnection,
): Promise<void> {
  const { markets } = await recording.get("/contract");
  const [{ base, quote }] = markets;
  const market = `${base}/${quote}`;
  const trades: readonly Row[] = await recording.get("/trades?limit=100");
  const traders = trades.flatMap(({ type, taker, trader }) => (type === "trade" ? taker : trader));
  const owners = await recording.makers();
  const requests: readonly [string, Row][] = [
    ["ContractSnapshot", { channel: "contract" }],
    ["AccountSnapshot", { channel: "account", address: owners[0] }],
    ["TradesSnapshot", { channel: "trades", market }],
    ["BookSnapshot", { channel: "book", market }],
    ["TickerMessage", { channel: "ticker" }],
    ["DepthMessage", { channel: "depth", market, limit: 5 }],
    ["CandlesSnapshot", { channel: "candles", market, resolution: "5m", limit: 10 }],
    [
      "QuoteMessage",
      { channel: "quote", sellingAsset: quote, buyingAsset: base, amount: "10000000" },
    ],
  ];
  let id = 100;
  for (const [schema, parameters] of requests) {
    id += 1;
    const { channel } = parameters;
    const request = { op: "subscribe", id, ...parameters };
    connection.send(request);
    const reply = await connection.find((_, message) => message.id === request.id, channel);
    const name = `${channel.charAt(0).toUpperCase()}${channel.slice(1)}Request`;
    recording.keep(channel, {
      schema: name,
      summary: `Subscribes to ${channel}`,
      message: request,
    });
    recording.keep(channel, { schema, summary: "The answer to the subscribe", message: reply });
  }
  const unsubscribe = { op: "unsubscribe", id: 200, channel: "trades", market: "*" };
  connection.send(unsubscribe);
  const ended = await connection.find((schema) => schema === "Unsubscribed", "unsubscribed");
  recording.keep("connection", {
    schema: "Unsubscribed",
    summary: "The end of a topic",
    message: ended,
  });
  connection.send({ op: "subscribe", channel: "trades" });
  // Who is likely to do everything that updates tell of:
  // makers with the most orders update them, the others' orders are filled, canceled and expire.
  const busy = new Set([...traders.slice(0, 6), ...owners.slice(-2), ...owners.slice(1)]);
  for (const account of [...busy].slice(0, 10)) {
    accounts.send({ op: "subscribe", channel: "account", address: account });
  }
  await accounts.find((schema) => schema === "AccountSnapshot", "account snapshot");
}
