import assert from "node:assert/strict";
import { test } from "node:test";
import { account, token } from "../../test/support/addresses.ts";
import { emptyCopy } from "../../test/support/book-of-world.ts";
import { plainOrder } from "../../test/support/plain-order.ts";
import type { Backing } from "../model/backing.ts";
import type { Token } from "./backing/ledger-keys.ts";
import { MARKED_PORTION } from "./shared-backings.ts";
import {
  BACKING_FLAGS,
  BACKING_STRIDE_U32,
  FLAG_ISSUER,
  HEADER_EVENTS_MAX,
  LINKS_NAME_BYTES,
  LINKS_STRIDE_U32,
  SIDE_CHANGED_F64,
  SIDE_STRIDE_F64,
} from "./shared-layout.ts";
import { findAsset, findBacking, findOwner, findSide } from "./shared-lookup.ts";
import { applyChange, applyChanges, writeState } from "./shared-writer.ts";

const issuer = account(1);
const maker = account(2);

function backing(owner: Backing["owner"], asset: Backing["asset"]): Backing {
  const amounts = { balance: 5n, allowance: 5n, budget: 5n, liveUntil: 9 };
  return { owner, asset, ...amounts, authorized: true, updated: 1, pending: false };
}

test("a book knows what a token's name takes in an event, and who issues it", () => {
  const copy = emptyCopy(token(999), 4);
  const { view } = copy;
  assert.equal(view.headerU32[HEADER_EVENTS_MAX], 16_384);
  const nameBytes = (asset: Backing["asset"]) =>
    view.assetLinks[findAsset(view, asset) * LINKS_STRIDE_U32 + LINKS_NAME_BYTES];
  const issues = (owner: Backing["owner"], asset: Backing["asset"]) => {
    const record = findBacking(view, findOwner(view, owner), findAsset(view, asset));
    return ((view.backingU32[record * BACKING_STRIDE_U32 + BACKING_FLAGS] ?? 0) & FLAG_ISSUER) > 0;
  };
  const kinds: readonly (readonly [Token | undefined, number])[] = [
    [{ kind: "native" }, 16],
    ...[68, 68, 68, 72, 72, 72, 72, 76, 76, 76, 76, 80].map((bytes, at) => {
      const code = "ABCDEFGHIJKL".slice(0, at + 1);
      return [{ kind: "issued", code, issuer } as const, bytes] as const;
    }),
    [{ kind: "other" }, 0],
    [undefined, 0],
  ];
  for (const [at, [kind, bytes]] of kinds.entries()) {
    const asset = token(at);
    for (const owner of [maker, issuer]) {
      const known = kind === undefined ? {} : { token: kind };
      applyChange(copy, { kind: "backing", backing: backing(owner, asset), ...known });
    }
    assert.equal(nameBytes(asset), bytes);
    assert.equal(issues(issuer, asset), kind?.kind === "issued");
    assert.equal(issues(maker, asset), false);
    // The index goes with the last record: what takes it next has no name of its own yet.
    for (const owner of [maker, issuer]) applyChange(copy, { kind: "forget", owner, asset });
  }
});

test("a changed budget marks the sides of all orders behind it, in portions", () => {
  const orders = 10 * MARKED_PORTION;
  const copy = emptyCopy(token(999), orders);
  const { view } = copy;
  writeState(view, 2, { ledger: 2, closeTime: 10, frozen: false });
  const [selling, buying] = [token(1), [token(2), token(3), token(4)]];
  for (let at = 0; at < orders; at += 1) {
    const terms = { owner: maker, selling, buying: buying[at % 3] ?? token(2), amount: 1n };
    applyChange(copy, { kind: "put", order: plainOrder(at + 1, at + 1, terms) });
  }
  const changedAt = () =>
    buying.map((asset) => {
      const side = findSide(view, findAsset(view, asset), findAsset(view, selling));
      return view.sideF64[side * SIDE_STRIDE_F64 + SIDE_CHANGED_F64];
    });
  for (const [step, change] of [
    { kind: "backing", backing: backing(maker, selling) } as const,
    { kind: "forget", owner: maker, asset: selling } as const,
  ].entries()) {
    writeState(view, 3 + step, { ledger: 3 + step, closeTime: 15, frozen: false });
    const portions = [...applyChanges(copy, [change])];
    assert.ok(portions.length >= orders / MARKED_PORTION, `${portions.length} portions`);
    assert.deepEqual(changedAt(), [3 + step, 3 + step, 3 + step]);
  }
});
