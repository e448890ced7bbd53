import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Position, position } from "../model/position.ts";
import { rowsBetween, type TimeRows } from "./time-walk.ts";

type Row = { readonly id: Position; readonly time: number };

const ROWS_MAX = 30;

test("rows between two times are each there once, in order, however many are read at once", () => {
  const gap = fc.record({ ledgers: fc.nat(1), seconds: fc.nat(3) });
  const window = fc.record({
    from: fc.nat(60),
    length: fc.nat(60),
    atOnce: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(1, 4_294_967_000),
      fc.array(gap, { maxLength: ROWS_MAX }),
      window,
      (start, gaps, { from, length, atOnce }) => {
        let ledger: number = start;
        let time = 0;
        const all = gaps.map(({ ledgers, seconds }, index): Row => {
          if (ledgers > 0) [ledger, time] = [ledger + ledgers, time + seconds];
          return { id: position({ ledger, transaction: 1, operation: 1, index }), time };
        });
        const rows: TimeRows<Row> = {
          page: (after, limit) => all.filter(({ id }) => id > after).slice(0, limit),
          positionOf: ({ id }) => id,
          timeOf: (row) => row.time,
        };
        const to = from + length;
        const expected = all.filter((row) => row.time >= from && row.time < to);
        assert.deepEqual([...rowsBetween(rows, from, to, atOnce)], expected);
      },
    ),
  );
});
