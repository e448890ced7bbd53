import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { MemoryReadModel } from "../../test/support/http/memory-read-model.ts";
import { testAccount, testContract, testOrder } from "../../test/support/http/test-server.ts";
import type { Backing } from "../model/backing.ts";
import { accountMembers, accountMembersInSlices } from "./account-text.ts";

const OWNER = testAccount(1);
const LIVING = new AbortController().signal;

let readModel: MemoryReadModel;
/** Called at every page of orders that is read. */
let paged: () => void;

beforeEach(() => {
  paged = () => undefined;
  readModel = new MemoryReadModel();
  const { liveOrders } = MemoryReadModel.prototype;
  readModel.liveOrders = function (...parameters) {
    paged();
    return liveOrders.apply(this, parameters);
  };
  readModel.ledger = 5000;
});

function fill(orders: number): void {
  readModel.live = Array.from({ length: orders }, (_, at) =>
    testOrder(at, { selling: testContract(1 + (at % 2)), buying: testContract(3) }),
  );
  readModel.backings = [backing(1, 10n ** 10n), backing(2, 5n)];
}

function backing(asset: number, budget: bigint): Backing {
  return {
    owner: OWNER,
    asset: testContract(asset),
    balance: budget,
    allowance: budget,
    liveUntil: 9000,
    authorized: true,
    budget,
    updated: 1_700_000_000,
    pending: false,
  };
}

async function sliced(): Promise<string> {
  const made = accountMembersInSlices(readModel, OWNER);
  assert.ok(typeof made === "function");
  return made(LIVING);
}

describe("the text of an account", () => {
  it("is there at once for few orders", () => {
    for (const orders of [0, 1, 99]) {
      fill(orders);
      assert.equal(accountMembersInSlices(readModel, OWNER), accountMembers(readModel, OWNER));
    }
  });

  it("is the same in slices, with turns of the loop between", async () => {
    for (const orders of [100, 101, 200, 1234]) {
      fill(orders);
      let turns = 0;
      const timer = setInterval(() => undefined, 0);
      const count = (): void => {
        turns += 1;
        immediate = setImmediate(count);
      };
      let immediate = setImmediate(count);
      assert.equal(await sliced(), accountMembers(readModel, OWNER));
      clearImmediate(immediate);
      clearInterval(timer);
      assert.ok(turns >= Math.floor(orders / 100), `${turns} turns for ${orders} orders`);
    }
  });

  it("is of one state where another comes while it is made", async () => {
    fill(500);
    let pages = 0;
    paged = () => {
      pages += 1;
      if (pages !== 4) return;
      // What was read before is of the past.
      readModel.step += 1;
      readModel.ledger = 5001;
      readModel.live = readModel.live.map((order) => ({ ...order, amount: order.amount - 1n }));
      readModel.backings = [backing(1, 7n), backing(2, 10n ** 10n)];
    };
    const text = await sliced();
    assert.equal(text, accountMembers(readModel, OWNER));
    assert.match(text, /"ledger":5001/);
  });

  it("is of one state where states come faster than it can be made", async () => {
    fill(500);
    const states: string[] = [];
    let pages = 0;
    const ends = setInterval(() => undefined, 1);
    const change = (): void => {
      readModel.step += 1;
      readModel.ledger = (readModel.ledger ?? 0) + 1;
      readModel.live = readModel.live.map((order) => ({ ...order, amount: order.amount - 1n }));
      readModel.backings = [backing(1, BigInt(readModel.step) * 10n ** 8n), backing(2, 3n)];
      states.push(accountMembers(readModel, OWNER));
      immediate = setImmediate(change);
    };
    let immediate = setImmediate(change);
    paged = () => {
      pages += 1;
    };
    const text = await sliced();
    clearImmediate(immediate);
    clearInterval(ends);
    assert.ok(pages > 0);
    assert.ok(states.includes(text), "a text of no state that was shown");
  });

  it("is given up where nobody waits for it", async () => {
    fill(1000);
    const client = new AbortController();
    const made = accountMembersInSlices(readModel, OWNER);
    assert.ok(typeof made === "function");
    let pages = 0;
    paged = () => {
      pages += 1;
      if (pages === 3) client.abort();
    };
    await assert.rejects(made(client.signal), { name: "AbortError" });
    assert.equal(pages, 3);
  });
});
