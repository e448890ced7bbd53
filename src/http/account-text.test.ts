import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { MemoryReadModel } from "../../test/support/http/memory-read-model.ts";
import { testAccount, testContract, testOrder } from "../../test/support/http/test-server.ts";
import type { DomainEvent } from "../book/domain-event.ts";
import type { Backing } from "../model/backing.ts";
import { type Order, OrderStatus } from "../model/order.ts";
import { accountMembers, accountText, hasManyOrders, type PinnedAccount } from "./account-text.ts";

const OWNER = testAccount(1);

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
  readModel.backingRecords = [backing(1, 10n ** 10n), backing(2, 5n)];
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
  const text = await accountText(readModel, OWNER, () => true);
  assert.ok(text !== undefined);
  return membersOf(text.pin());
}

function membersOf(account: PinnedAccount): string {
  while (account.make());
  return account.text("", "");
}

type Change = Pick<Extract<DomainEvent, { readonly kind: "order" }>, "action" | "order">;

/** A step that changes orders; those of the state it leaves are put in. */
function step(changes: readonly Change[]): void {
  const gone = new Set(changes.map(({ order }) => order.id));
  readModel.live = [
    ...readModel.live.filter(({ id }) => !gone.has(id)),
    ...changes.map(({ order }) => order).filter(({ status }) => status === OrderStatus.active),
  ].sort((a, b) => (a.cursor < b.cursor ? -1 : 1));
  readModel.step += 1;
  const ledger = (readModel.ledger ?? 0) + 1;
  readModel.ledger = ledger;
  const events = changes.map((change) => ({ kind: "order", ...change }) as const);
  readModel.stepped({ ledgers: [], ledger, closeTime: 0, changes: [], events });
}

const ofOwner = (at: number, fields: Partial<Order> = {}): Order =>
  testOrder(at, { selling: testContract(1 + (at % 2)), buying: testContract(3), ...fields });

describe("the text of an account", () => {
  it("is made in slices where there are many orders", () => {
    for (const [orders, many] of [
      [0, false],
      [99, false],
      [100, true],
    ] as const) {
      fill(orders);
      assert.equal(hasManyOrders(readModel, OWNER), many);
    }
  });

  it("is the same in slices, with turns of the loop between", async () => {
    for (const orders of [0, 1, 100, 101, 200, 1234]) {
      fill(orders);
      let turns = 0;
      let immediate = setImmediate(function count() {
        turns += 1;
        immediate = setImmediate(count);
      });
      assert.equal(await sliced(), accountMembers(readModel, OWNER));
      clearImmediate(immediate);
      assert.ok(turns >= Math.floor(orders / 100), `${turns} turns for ${orders} orders`);
      assert.equal(readModel.listenerCount, 0);
    }
  });

  it("is of the state shown at its end, whatever steps come while it is made and after", async () => {
    fill(500);
    const revived = ofOwner(7);
    step([{ action: "expire", order: ofOwner(7, { status: "EXPIRED" }) }]);
    let pages = 0;
    paged = () => {
      pages += 1;
      const at = pages * 40;
      // Read already, and still to be read: changed, gone, revived, new; and another's.
      step([
        { action: "fill", order: ofOwner(at, { amount: 3n }) },
        { action: "fill", order: ofOwner(499 - at, { amount: 4n }) },
        { action: "cancel", order: ofOwner(at + 1, { status: "CANCELED" }) },
        { action: "cancel", order: ofOwner(450 - at, { status: "CANCELED" }) },
        { action: "new", order: ofOwner(1000 + pages) },
        { action: "new", order: ofOwner(2000 + pages, { owner: testAccount(2) }) },
        ...(pages === 3 ? [{ action: "update", order: revived } as const] : []),
      ]);
      readModel.backingRecords = [backing(1, BigInt(readModel.step) * 10n ** 8n), backing(2, 3n)];
    };
    const text = await accountText(readModel, OWNER, () => true);
    paged = () => undefined;
    assert.ok(pages >= 5);
    step([{ action: "fill", order: ofOwner(0, { amount: 1n }) }]);
    assert.ok(text !== undefined);
    assert.equal(membersOf(text.pin()), accountMembers(readModel, OWNER));
    assert.equal(readModel.listenerCount, 0);
  });

  it("is put together a hundred orders at a time, of the state in which it was pinned", async () => {
    fill(2000);
    const text = await accountText(readModel, OWNER, () => true);
    assert.ok(text !== undefined);
    const expected = accountMembers(readModel, OWNER);
    const account = text.pin();
    let portions = 1;
    while (account.make()) {
      portions += 1;
      // Another state each time: budgets, orders, ledger.
      readModel.backingRecords = [backing(1, BigInt(portions)), backing(2, 7n)];
      step([{ action: "fill", order: ofOwner(portions, { amount: 1n }) }]);
    }
    assert.equal(portions, 20);
    assert.equal(account.text("", ""), expected);
  });

  it("is given up once its client is gone, and follows no steps any more", async () => {
    fill(1000);
    let isWanted = true;
    let pages = 0;
    paged = () => {
      pages += 1;
      if (pages === 3) isWanted = false;
    };
    assert.equal(await accountText(readModel, OWNER, () => isWanted), undefined);
    assert.equal(pages, 3);
    assert.equal(readModel.listenerCount, 0);
    isWanted = true;
    assert.ok((await accountText(readModel, OWNER, () => isWanted)) !== undefined);
    isWanted = false;
    step([]);
    assert.equal(readModel.listenerCount, 0);
  });
});
