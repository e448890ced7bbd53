import assert from "node:assert/strict";
import { test } from "node:test";
import { account, token } from "../../test/support/addresses.ts";
import { emptyCopy } from "../../test/support/book-of-world.ts";
import type { Backing } from "../model/backing.ts";
import type { Token } from "./backing/ledger-keys.ts";
import {
  BACKING_FLAGS,
  BACKING_STRIDE_U32,
  FLAG_ISSUER,
  HEADER_EVENTS_MAX,
  LINKS_NAME_BYTES,
  LINKS_STRIDE_U32,
} from "./shared-layout.ts";
import { findAsset, findBacking, findOwner } from "./shared-lookup.ts";
import { applyChange } from "./shared-writer.ts";

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
