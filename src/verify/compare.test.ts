import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { Address as SdkAddress } from "@stellar/stellar-sdk/base";
import {
  ContractDataDurability,
  ContractDataEntry,
  ExtensionPoint,
  Int128Parts,
  LedgerEntryData,
  ScVal,
  Uint128Parts,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress, contractAddress } from "../model/address.ts";
import { utcText } from "../model/clock.ts";
import type { OrderId } from "../model/order.ts";
import { type Comparison, compareOrders } from "./compare.ts";
import { EngineClient } from "./engine-client.ts";
import { type OrderEntry, orderEntryKey } from "./order-entry.ts";

const NOW_SECONDS = 1_800_000_000n;
const CONTRACT = contractAddress(new Uint8Array(32).fill(9));

function entry(fields: Partial<OrderEntry> = {}): OrderEntry {
  return {
    owner: accountAddress(new Uint8Array(32).fill(1)),
    selling: contractAddress(new Uint8Array(32).fill(2)),
    buying: contractAddress(new Uint8Array(32).fill(3)),
    amount: 2n ** 100n,
    price: 10n ** 36n,
    expires: 0n,
    ...fields,
  };
}

/** What the engine and the ledger hold; `look` runs at each request, so that they can move on. */
const world = {
  engineLedger: 0,
  engine: new Map<bigint, OrderEntry>(),
  ledger: 0,
  entries: new Map<bigint, { entry: OrderEntry; modified: number }>(),
  look: (_what: string): void => undefined,
};

let engineServer: Server;
let rpcServer: Server;

function engineAnswer(path: string): unknown {
  const shown = ([id, order]: [bigint, OrderEntry]) => ({
    id: String(id),
    owner: order.owner,
    selling: order.selling,
    buying: order.buying,
    amount: String(order.amount),
    price: String(order.price),
    ...(order.expires === 0n ? {} : { expires: utcText(Number(order.expires)) }),
    cursor: String(id),
  });
  if (path === "/") return { status: "active", ledger: world.engineLedger };
  const byId = /^\/order\/([0-9]+)$/.exec(path)?.[1];
  if (byId !== undefined) {
    const order = world.engine.get(BigInt(byId));
    return order && shown([BigInt(byId), order]);
  }
  const after = BigInt(new URL(path, "http://x").searchParams.get("cursor") || "0");
  return [...world.engine]
    .filter(([id]) => id > after)
    .slice(0, 5)
    .map(shown);
}

function rpcAnswer(keys: readonly string[]): unknown {
  const byKey = new Map(
    [...world.entries].map(([id, held]) => [
      orderEntryKey(CONTRACT, id as OrderId),
      { id, ...held },
    ]),
  );
  const entries = keys.flatMap((key) => {
    const held = byKey.get(key);
    if (held === undefined) return [];
    return [{ key, xdr: entryXdr(held.id, held.entry), lastModifiedLedgerSeq: held.modified }];
  });
  return { jsonrpc: "2.0", id: 1, result: { latestLedger: world.ledger, entries } };
}

function entryXdr(id: bigint, of: OrderEntry): string {
  const address = (value: Address) => new SdkAddress(value).toScVal();
  const i128 = (value: bigint) =>
    ScVal.scvI128(new Int128Parts({ hi: value >> 64n, lo: value & ((1n << 64n) - 1n) }));
  const fields = [
    address(of.owner),
    address(of.selling),
    address(of.buying),
    i128(of.amount),
    i128(of.price),
  ];
  if (of.expires !== 0n) fields.push(ScVal.scvU64(of.expires));
  return LedgerEntryData.contractData(
    new ContractDataEntry({
      ext: ExtensionPoint.v0(),
      contract: new SdkAddress(CONTRACT).toScAddress(),
      key: ScVal.scvU128(new Uint128Parts({ hi: id >> 64n, lo: id & ((1n << 64n) - 1n) })),
      durability: ContractDataDurability.persistent,
      val: ScVal.scvVec(fields),
    }),
  ).toXdr("base64");
}

async function listen(answer: (path: string, body: string) => unknown): Promise<Server> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => {
      body += String(data);
    });
    request.on("end", () => {
      const json = answer(request.url ?? "", body);
      response.statusCode = json === undefined ? 404 : 200;
      response.end(JSON.stringify(json ?? { error: "Not found.", status: 404 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function compare(): Promise<Comparison> {
  return compareOrders({
    engine: new EngineClient(urlOf(engineServer)),
    rpcUrl: urlOf(rpcServer),
    contract: CONTRACT,
    clock: () => Number(NOW_SECONDS) * 1000,
    sleep: () => Promise.resolve(),
  });
}

describe("verify", () => {
  before(async () => {
    engineServer = await listen((path) => {
      const answer = engineAnswer(path);
      world.look(path);
      return answer;
    });
    rpcServer = await listen((_path, body) => {
      const answer = body === "" ? [] : rpcAnswer(JSON.parse(body).params.keys);
      world.look("rpc");
      return answer;
    });
  });
  after(() => {
    engineServer.close();
    rpcServer.close();
  });
  beforeEach(() => {
    world.engineLedger = 100;
    world.ledger = 100;
    world.engine.clear();
    world.entries.clear();
    world.look = () => undefined;
    for (let id = 1n; id <= 5n; id += 1n) {
      const held = entry({ amount: id << 70n, expires: id === 5n ? NOW_SECONDS + 9n : 0n });
      world.engine.set(id << 90n, held);
      world.entries.set(id << 90n, { entry: held, modified: 90 });
    }
  });

  it("finds no difference between equal sides", async () => {
    assert.deepEqual(await compare(), { checked: 5, differences: [] });
  });

  it("has nothing to check of an empty engine", async () => {
    world.engine.clear();
    assert.deepEqual(await compare(), { checked: 0, differences: [] });
  });

  it("names every field that differs", async () => {
    const changes: Partial<OrderEntry>[] = [
      { amount: 1n },
      { price: 1n },
      { expires: 7n },
      { owner: accountAddress(new Uint8Array(32).fill(7)) },
      { selling: contractAddress(new Uint8Array(32).fill(7)) },
    ];
    for (const change of changes) {
      world.entries.set(1n << 90n, {
        entry: { ...entry({ amount: 1n << 70n }), ...change },
        modified: 90,
      });
      const { checked, differences } = await compare();
      assert.equal(checked, 5);
      assert.equal(differences.length, 1);
      assert.match(differences[0]?.what ?? "", new RegExp(`^${Object.keys(change)[0]} `));
    }
  });

  it("finds an order that is live here and gone on the ledger", async () => {
    world.entries.delete(2n << 90n);
    const { checked, differences } = await compare();
    assert.equal(checked, 5);
    assert.deepEqual(differences, [{ id: 2n << 90n, what: "no entry on the ledger" }]);
  });

  it("waits for the engine where the ledger has moved on", async () => {
    const changed = entry({ amount: 5n });
    world.ledger = 101;
    world.entries.set(1n << 90n, { entry: changed, modified: 101 });
    world.entries.delete(2n << 90n);
    world.look = (what) => {
      if (what !== "rpc") return;
      world.engineLedger = 101;
      world.engine.set(1n << 90n, changed);
      world.engine.delete(2n << 90n);
    };
    assert.deepEqual(await compare(), { checked: 4, differences: [] });
  });

  it("waits for an RPC that is behind the engine", async () => {
    world.ledger = 80;
    world.entries.clear();
    world.look = (what) => {
      if (what !== "rpc") return;
      world.ledger = 100;
      for (const [id, held] of world.engine) world.entries.set(id, { entry: held, modified: 90 });
    };
    assert.deepEqual(await compare(), { checked: 5, differences: [] });
  });

  it("lets an order expire meanwhile, but not vanish", async () => {
    const id = 5n << 90n;
    const moveOn = (expires: bigint) => {
      world.ledger = 100;
      world.engineLedger = 99;
      world.entries.set(id, { entry: entry({ expires }), modified: 100 });
      world.look = (what) => {
        if (what !== "rpc") return;
        world.engineLedger = 100;
        world.engine.delete(id);
      };
    };
    moveOn(NOW_SECONDS - 1n);
    assert.deepEqual(await compare(), { checked: 4, differences: [] });
    world.engine.set(id, entry());
    moveOn(NOW_SECONDS + 1000n);
    assert.deepEqual(await compare(), {
      checked: 5,
      differences: [{ id, what: "on the ledger, but not live" }],
    });
  });

  it("gives up on sides that never meet", async () => {
    world.ledger = 1;
    await assert.rejects(compare(), /5 orders could not be read at one ledger/);
  });

  it("names a service that answers something else", async () => {
    const options = { contract: CONTRACT, clock: () => 0, sleep: () => Promise.resolve() };
    const engine = new EngineClient(urlOf(rpcServer));
    await assert.rejects(
      compareOrders({ ...options, engine, rpcUrl: urlOf(rpcServer) }),
      /http:\/\/127\.0\.0\.1/,
    );
  });
});
