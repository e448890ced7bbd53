// Lists have every event that is shown and not dropped once, whatever waits for its index, fails, is not shown yet or
// is read again.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { account, token } from "../../test/support/addresses.ts";
import { runs } from "../../test/support/runs.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { orderId } from "../model/order.ts";
import type { NewOrderEvent, OrderEventFilter } from "../model/order-event.ts";
import { ledgerStart, POSITION_MAX, type Position } from "../model/position.ts";
import { AddressIds } from "./address-ids.ts";
import { OrderEventIndex } from "./order-event-index.ts";
import type { EventSubject } from "./order-event-record.ts";
import { Snapshot } from "./snapshot.ts";
import { type Write, writeAll } from "./step-writes.ts";
import { openEnvironment } from "./tables.ts";

const OWNERS = [account(1), account(2), account(3)] as const;
const TOKENS = [token(1), token(2), token(3)] as const;
const ORDERS = 5;

type Seed = { readonly order: number; readonly isBudget: boolean; readonly isNew: boolean };

function eventOf(ledger: number, { order, isBudget, isNew }: Seed): NewOrderEvent {
  const at = { ledger, timestamp: ledger };
  const owner = OWNERS[order % 3] ?? OWNERS[0];
  const [selling, buying] = [TOKENS[order % 3] ?? TOKENS[0], TOKENS[(order + 1) % 3] ?? TOKENS[0]];
  if (isBudget) return { ...at, type: "budget", owner, asset: selling, budget: 1n };
  const fixed = { id: orderId(BigInt(order)), owner, selling, buying, cursor: 1n as Position };
  return {
    ...{ ...at, type: "order", cause: isNew ? "new" : "update", isLive: true },
    order: { ...fixed, price: 1n, amount: 1n, expires: 0 },
  };
}

type Added = { readonly id: Position; readonly event: NewOrderEvent };

const FILTERS: readonly OrderEventFilter[] = [
  ...Array.from({ length: ORDERS }, (_, order) => ({ order: orderId(BigInt(order)) })),
  ...OWNERS.map((owner) => ({ owner })),
  { market: [TOKENS[0], TOKENS[1]] },
  { market: [TOKENS[2], TOKENS[1]] },
];

function isOf(event: EventSubject, filter: OrderEventFilter): boolean {
  if (event.type === "budget") return "owner" in filter && event.owner === filter.owner;
  const { id, owner, selling, buying } = event.order;
  if ("order" in filter) return id === filter.order;
  if ("owner" in filter) return owner === filter.owner;
  return filter.market.includes(selling) && filter.market.includes(buying);
}

const seeds = fc.record({
  order: fc.integer({ min: 0, max: ORDERS - 1 }),
  isBudget: fc.boolean(),
  isNew: fc.boolean(),
});
const commits = fc.array(
  fc.record({
    seeds: fc.array(seeds, { minLength: 1, maxLength: 12 }),
    /** Of the oldest events. */
    drops: fc.integer({ min: 0, max: 8 }),
    /** Read before anybody lists, after a start. */
    portions: fc.integer({ min: 0, max: 3 }),
    outcome: fc.constantFrom("shown", "shown", "stored", "failed", "killed", "killed after"),
  }),
  { maxLength: 12 },
);

test("lists have every event that is shown once, in whatever state it is", async () => {
  await fc.assert(
    fc.asyncProperty(commits, fc.constantFrom(0, 1, 7, 1000), async (made, pendingEvents) => {
      const { root, tables } = openEnvironment(
        temporaryFolder(),
        () => undefined,
        Buffer.from("a"),
      );
      const snapshot = new Snapshot(root);
      const ids = new AddressIds({ idOf: () => undefined, bytesOf: () => undefined }, 1);
      ids.startCommit();
      for (const address of [...OWNERS, ...TOKENS]) ids.idOf(address);
      ids.endCommit(true);
      const stored: Added[] = [];
      let dropped = 0;
      /** What is read: from the first of `stored` up to the second. */
      let shown: readonly [number, number] = [0, 0];
      const eventsFrom = (first: Position) =>
        stored.slice(...shown).filter(({ id }) => id >= first);
      // The run's own: a start knows nothing of it.
      let droppedUpTo = 0n as Position;
      const open = () => {
        snapshot.renew();
        shown = [dropped, stored.length];
        droppedUpTo = 0n as Position;
        return new OrderEventIndex({ tables, snapshot, ids }, eventsFrom, pendingEvents);
      };
      let index = open();
      let loading = index.load();
      const reopen = (portions: number) => {
        index = open();
        loading = index.load();
        for (let portion = 0; portion < portions; portion += 1) loading.next();
      };
      const check = () => {
        for (const filter of FILTERS) {
          const expected = stored.slice(...shown).filter(({ event }) => isOf(event, filter));
          const newest = expected.map(({ id }) => id).reverse();
          const before = newest[Math.floor(newest.length / 2)] ?? POSITION_MAX;
          // Ids of events that are not there any more may come last.
          const oldest = stored.slice(...shown)[0]?.id ?? POSITION_MAX;
          const list = (end: Position) => {
            const ids = [...index.list(filter, { before: end, limit: 5 })];
            const past = ids.findIndex((id) => id < oldest);
            return past < 0 ? ids : ids.slice(0, past);
          };
          assert.deepEqual(list(POSITION_MAX), newest);
          assert.deepEqual(
            list(before),
            newest.filter((id) => id < before),
          );
        }
        // Whoever began to read comes last.
        assert.equal([...loading].length, 0, "it is read");
      };
      try {
        for (const [ledger, { seeds: events, drops, portions, outcome }] of made.entries()) {
          const added = events.map((seed, at) => ({
            id: (ledgerStart(1 + ledger) + BigInt(at + 1)) as Position,
            event: eventOf(1 + ledger, seed),
          }));
          const writes: Write[] = [];
          for (const _ of index.begin());
          for (const { id, event } of added) index.add(id, event);
          const last = added.at(-1)?.id ?? POSITION_MAX;
          const present = stored.slice(...shown);
          // What a failed commit would have dropped goes with the next.
          const due = present.filter(({ id }, at) => at < drops || id <= droppedUpTo);
          const gone = index.isShown ? due : [];
          droppedUpTo = gone.at(-1)?.id ?? droppedUpTo;
          const goneEvents = gone.map(({ event }) => event);
          if (gone.length > 0) index.drops(writes, goneEvents, droppedUpTo);
          for (const _ of index.writes(writes, { added: added.length, last, droppedUpTo }));
          check();
          if (outcome === "failed") continue;
          if (outcome === "killed") {
            reopen(portions);
          } else {
            await writeAll(root, writes);
            stored.push(...added);
            dropped += gone.length;
            index.stored();
            check();
            if (outcome === "killed after") reopen(portions);
            if (outcome === "shown") {
              snapshot.renew();
              shown = [dropped, stored.length];
              index.shown();
            }
          }
          check();
        }
      } finally {
        snapshot.release();
        await root.close();
      }
    }),
    { numRuns: runs(40) },
  );
});
