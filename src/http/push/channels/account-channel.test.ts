// What one step makes channel `account` do in a turn, at the size of a maker with tens of thousands of orders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharesReadModel } from "../../../../test/support/http/shares-read-model.ts";
import { testAccount, testContract, testOrder } from "../../../../test/support/http/test-server.ts";
import type { DomainEvent } from "../../../book/domain-event.ts";
import type { SharesBlock } from "../../../model/backing.ts";
import { jsonQuery } from "../json-query.ts";
import { accountChannel } from "./account-channel.ts";

const ORDERS = 20_000;
const OWNER = testAccount(1);
const ASSET = testContract(1);
const TURN_MAX = 8192;
const BLOCK = 256;

type Message = {
  readonly type: string;
  readonly address?: string;
  readonly backed?: Readonly<Record<string, string>>;
};

/** Counts the shares that are made. */
class CountingReadModel extends SharesReadModel {
  made = 0;
  readonly #counted = new WeakMap<SharesBlock, SharesBlock>();

  override ordersBacked(...parameters: Parameters<SharesReadModel["ordersBacked"]>) {
    return super.ordersBacked(...parameters).map((block) => this.#counting(block));
  }

  #counting(block: SharesBlock): SharesBlock {
    const known = this.#counted.get(block);
    if (known !== undefined) return known;
    const model = this;
    let isCounted = false;
    const counting: SharesBlock = {
      isCovered: block.isCovered,
      get shares() {
        if (!isCounted) model.made += block.shares.length;
        isCounted = true;
        return block.shares;
      },
    };
    this.#counted.set(block, counting);
    return counting;
  }
}

function worldOf(orders: number) {
  const readModel = new CountingReadModel();
  readModel.ledger = 1;
  readModel.live = Array.from({ length: orders }, (_, at) => testOrder(at, { amount: 10n }));
  const published: Message[] = [];
  const watch = { watch: () => true, unwatch: () => undefined, loaded: () => Promise.resolve() };
  const failures: unknown[] = [];
  const publish = (_: string, json: string): void => void published.push(JSON.parse(json));
  const log = { error: (fields: object) => void failures.push(fields) };
  const broken: string[] = [];
  const channel = accountChannel({
    ...{ readModel, watch, publish, log },
    broken: (topic) => void broken.push(topic),
  });
  const request = channel.request(jsonQuery({ address: OWNER }));
  request.opened();
  const setBudget = (budget: bigint): void => {
    readModel.budgets.set(OWNER + ASSET, budget);
  };
  const step = (budget: bigint, ...later: readonly DomainEvent[]): void => {
    setBudget(budget);
    const backing = readModel.backing(OWNER, ASSET);
    assert.ok(backing !== undefined);
    const order = readModel.live[0] ?? assert.fail("no orders");
    const changed = { kind: "backing", owner: OWNER, asset: ASSET, backing } as const;
    const filled = { kind: "order", action: "update", order } as const;
    const events = [filled, changed, filled, ...later];
    channel.stepped({ ledgers: [], ledger: 2, closeTime: 0, changes: [], events });
  };
  const expected = (budget: bigint) => {
    let left = budget;
    return Object.fromEntries(
      readModel.live.map(({ id, amount }) => {
        const backed = left < amount ? left : amount;
        left -= backed;
        return [String(id), String(backed)];
      }),
    );
  };
  const tellOn = () => channel.tellOn?.() ?? false;
  return {
    ...{ readModel, published, failures, broken, channel, request },
    ...{ setBudget, step, expected, tellOn },
  };
}

test("the shares of tens of thousands of orders are put into text some thousand a turn", () => {
  const { readModel, published, setBudget, step, expected, tellOn } = worldOf(ORDERS);
  step(1000n);
  const told = expected(1000n);
  let [turns, before] = [0, 0];
  do {
    // The first update's own share takes the block it lies in.
    assert.ok(readModel.made - before <= TURN_MAX + BLOCK, `${readModel.made - before} in a turn`);
    before = readModel.made;
    turns += 1;
    // What is told is of the step, whatever is shown since.
    setBudget(BigInt(turns));
  } while (tellOn());
  assert.ok(turns >= Math.floor(ORDERS / TURN_MAX), `${turns} turns`);
  assert.deepEqual(
    published.map(({ type }) => type),
    ["order", "backing", "order"],
  );
  assert.deepEqual(published[1]?.backed, told);
  assert.equal(readModel.made, ORDERS);
  step(1001n);
  while (tellOn());
  assert.equal(readModel.made - ORDERS, BLOCK, "the block in which the budget ends");
  assert.deepEqual(published[4]?.backed, expected(1001n));
});

test("a snapshot follows all that is told of its step", async () => {
  const { published, request, step } = worldOf(ORDERS);
  await request.ready?.(() => true, "");
  step(1000n);
  assert.deepEqual(
    published.map(({ type }) => type),
    ["order"],
  );
  const parts = request.parts?.();
  assert.equal(published.length, 3);
  while (parts?.make?.() === true);
  const snapshot = JSON.parse(parts?.json(1, {}) ?? "");
  assert.equal(snapshot.orders.length, ORDERS);
  parts?.ended();
});

test("an account that nobody is subscribed to any more is told nothing more", () => {
  const { readModel, published, channel, request, step, tellOn } = worldOf(ORDERS);
  step(1000n);
  const { made } = readModel;
  channel.closed(request.topic);
  assert.equal(tellOn(), false);
  assert.deepEqual([published.length, readModel.made], [1, made]);
});

test("a message that cannot be made breaks its topic and holds up none behind it", () => {
  const { readModel, published, failures, broken, request, step, tellOn } = worldOf(1);
  const { ordersBacked, orderBacking } = readModel;
  readModel.ordersBacked = () => [
    {
      isCovered: false,
      get shares(): never {
        throw new Error("no shares");
      },
    },
  ];
  step(1000n);
  assert.equal(tellOn(), false);
  readModel.ordersBacked = ordersBacked;
  step(1000n);
  assert.equal(tellOn(), false);
  assert.deepEqual([failures.length, broken], [1, [request.topic]]);
  assert.deepEqual(
    published.map(({ type }) => type),
    ["order", "order", "order", "backing", "order"],
  );
  readModel.orderBacking = () => assert.fail("no backing");
  step(1000n);
  readModel.orderBacking = orderBacking;
  const { topic } = request;
  assert.deepEqual([failures.length, broken], [3, [topic, topic, topic]]);
  assert.deepEqual(
    published.slice(5).map(({ type }) => type),
    ["backing"],
  );
});

test("a snapshot brings forward what is told of its account alone", async () => {
  const { readModel, published, channel, step, tellOn } = worldOf(ORDERS);
  const other = testAccount(2);
  const ofOther = channel.request(jsonQuery({ address: other }));
  ofOther.opened();
  await ofOther.ready?.(() => true, "");
  const order = testOrder(ORDERS, { owner: other });
  step(1000n, { kind: "order", action: "new", order });
  const { made } = readModel;
  const told = () => published.map(({ type, address }) => [type, address]);
  assert.deepEqual(told(), [["order", OWNER]]);
  ofOther.snapshot({});
  assert.deepEqual(told(), [
    ["order", OWNER],
    ["order", other],
  ]);
  assert.equal(readModel.made, made, "no shares of the other account");
  while (tellOn());
  assert.deepEqual(told().slice(2), [
    ["backing", OWNER],
    ["order", OWNER],
  ]);
});
