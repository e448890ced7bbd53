// Compares a copy of the shared book with the naive model, and checks what must hold inside it.
import assert from "node:assert/strict";
import type { UntrackedBacking } from "../../src/book/shared-copy.ts";
import {
  ARENA_CLASS_MIN,
  BACKING_ASSET,
  BACKING_BUDGET_F64,
  BACKING_FLAGS,
  BACKING_HEADROOM_F64,
  BACKING_OWNER,
  BACKING_RECEIVED_FIRST,
  BACKING_SKIPPED,
  BACKING_SOLD_FIRST,
  BACKING_STRIDE_F64,
  BACKING_STRIDE_U32,
  type BookView,
  FLAG_AUTHORIZED,
  FLAG_LOADED,
  FLAG_PENDING,
  FLAG_TRACKED,
  HEADER_ARENA_FREE,
  LINKS_BUYING_LIST,
  LINKS_SELLING_LIST,
  LINKS_STRIDE_U32,
  LIST_CLASS,
  LIST_COUNT,
  LIST_START,
  NONE,
  ORDER_AMOUNT_F64,
  ORDER_BUYING,
  ORDER_EXPIRES_F64,
  ORDER_OWNER,
  ORDER_PRICE_F64,
  ORDER_RECEIVED_BACKING,
  ORDER_RECEIVED_NEXT,
  ORDER_SELLING,
  ORDER_SIDE,
  ORDER_SOLD_BACKING,
  ORDER_SOLD_NEXT,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  POOL_ASSETS,
  POOL_BACKINGS,
  POOL_COUNT,
  POOL_HIGH,
  POOL_ORDERS,
  POOL_OWNERS,
  POOL_SIDES,
  SIDE_LIST,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
  SIDE_TAKER_SELLS,
} from "../../src/book/shared-layout.ts";
import {
  findAsset,
  findBacking,
  findOrder,
  findOwner,
  findSide,
} from "../../src/book/shared-lookup.ts";
import {
  addressAt,
  assetAddress,
  backingBudget,
  backingHeadroom,
  orderAmount,
  orderId,
  orderPosition,
  orderPrice,
} from "../../src/book/shared-reader.ts";
import type { Address } from "../../src/model/address.ts";
import type { Order } from "../../src/model/order.ts";
import { I128_MAX } from "../../src/model/settlement.ts";
import type { NaiveBook } from "./naive-book.ts";

/** Throws an AssertionError on any difference. `contract` as the book was made with. */
export function assertSameBook(
  view: BookView,
  model: NaiveBook,
  contract: Address,
  untracked: UntrackedBacking,
): void {
  const count = (pool: number) => view.headerU32[pool + POOL_COUNT];
  const sides = model.sides();
  assert.equal(count(POOL_ORDERS), model.orders.size, "orders");
  assert.equal(count(POOL_SIDES), sides.length, "sides");
  for (const [sells, buys] of sides) checkSide(view, model, sells, buys);
  checkLinks(view, sides);

  const records = new Set(model.backings.keys());
  for (const order of model.orders.values()) {
    records.add(`${order.owner} ${order.selling}`);
    records.add(`${order.owner} ${order.buying}`);
  }
  assert.equal(count(POOL_BACKINGS), records.size, "backing records");
  const owners = new Set<string>([contract]);
  const assets = new Set<string>();
  for (const record of records) {
    const [owner, asset] = record.split(" ") as [Address, Address];
    owners.add(owner);
    assets.add(asset);
    checkBacking(view, model, owner, asset, untracked);
  }
  assert.equal(count(POOL_OWNERS), owners.size, "owners");
  assert.equal(count(POOL_ASSETS), assets.size, "assets");
  checkArena(view);
}

function checkSide(view: BookView, model: NaiveBook, sells: Address, buys: Address): void {
  const side = findSide(view, findAsset(view, sells), findAsset(view, buys));
  assert.notEqual(side, NONE, "side");
  const at = side * SIDE_STRIDE_U32;
  assert.equal(assetAddress(view, view.sideU32[at + SIDE_TAKER_SELLS]!), sells);
  assert.equal(assetAddress(view, view.sideU32[at + SIDE_TAKER_BUYS]!), buys);
  const start = view.sideU32[at + SIDE_LIST + LIST_START]!;
  const count = view.sideU32[at + SIDE_LIST + LIST_COUNT]!;
  const slots = [...view.arena.subarray(start, start + count)];
  const wanted = model.side(buys, sells);
  assert.deepEqual(
    slots.map((slot) => orderId(view, slot)),
    wanted.map((order) => order.id),
    "orders of a side",
  );
  for (const [place, order] of wanted.entries()) checkOrder(view, slots[place]!, order, side);
}

function checkOrder(view: BookView, slot: number, order: Order, side: number): void {
  const u32 = (field: number) => view.orderU32[slot * ORDER_STRIDE_U32 + field]!;
  const f64 = (field: number) => view.orderF64[slot * ORDER_STRIDE_F64 + field]!;
  assert.equal(findOrder(view, order.id), slot);
  assert.equal(u32(ORDER_SIDE), side);
  assert.equal(orderPrice(view, slot), order.price);
  assert.equal(orderAmount(view, slot), order.amount);
  assert.equal(orderPosition(view, slot), order.cursor);
  assert.equal(f64(ORDER_PRICE_F64), Number(order.price));
  assert.equal(f64(ORDER_AMOUNT_F64), Number(order.amount));
  assert.equal(f64(ORDER_EXPIRES_F64), order.expires === 0 ? Infinity : order.expires);
  assert.equal(addressAt(view.owners, u32(ORDER_OWNER)), order.owner);
  assert.equal(u32(ORDER_SELLING), findAsset(view, order.selling));
  assert.equal(u32(ORDER_BUYING), findAsset(view, order.buying));
  const owner = findOwner(view, order.owner);
  assert.equal(u32(ORDER_SOLD_BACKING), findBacking(view, owner, u32(ORDER_SELLING)));
  assert.equal(u32(ORDER_RECEIVED_BACKING), findBacking(view, owner, u32(ORDER_BUYING)));
}

/** Every side stands once in both of its assets' lists, which are sorted. */
function checkLinks(view: BookView, sides: readonly [Address, Address][]): void {
  const assets = new Set(sides.flat());
  const lists = [
    [LINKS_SELLING_LIST, SIDE_TAKER_SELLS, SIDE_TAKER_BUYS],
    [LINKS_BUYING_LIST, SIDE_TAKER_BUYS, SIDE_TAKER_SELLS],
  ] as const;
  for (const [list, own, other] of lists) {
    let total = 0;
    for (const address of assets) {
      const asset = findAsset(view, address);
      const at = asset * LINKS_STRIDE_U32 + list;
      const start = view.assetLinks[at + LIST_START]!;
      const count = view.assetLinks[at + LIST_COUNT]!;
      total += count;
      let last = 0;
      for (const side of view.arena.subarray(start, start + count)) {
        assert.equal(view.sideU32[side * SIDE_STRIDE_U32 + own], asset);
        const next = view.sideU32[side * SIDE_STRIDE_U32 + other]!;
        assert(next > last, "asset links sorted");
        last = next;
      }
    }
    assert.equal(total, sides.length);
  }
}

function checkBacking(
  view: BookView,
  model: NaiveBook,
  owner: Address,
  asset: Address,
  untracked: UntrackedBacking,
): void {
  const record = findBacking(view, findOwner(view, owner), findAsset(view, asset));
  assert.notEqual(record, NONE, "backing record");
  const at = record * BACKING_STRIDE_U32;
  const known = model.backing(owner, asset);
  const loaded = known?.updated !== undefined;
  const covers = untracked === "covers";
  const budget = loaded ? known.budget : covers ? I128_MAX : 0n;
  const headroom = loaded ? known.headroom : undefined;
  const flags = view.backingU32[at + BACKING_FLAGS]!;
  assert.equal(backingBudget(view, record), budget);
  assert.equal(backingHeadroom(view, record), headroom);
  assert.equal(view.backingF64[record * BACKING_STRIDE_F64 + BACKING_BUDGET_F64], Number(budget));
  assert.equal(
    view.backingF64[record * BACKING_STRIDE_F64 + BACKING_HEADROOM_F64],
    headroom === undefined ? Infinity : Number(headroom),
  );
  assert.equal((flags & FLAG_TRACKED) !== 0, known !== undefined);
  assert.equal((flags & FLAG_LOADED) !== 0, loaded);
  assert.equal((flags & FLAG_AUTHORIZED) !== 0, loaded ? known.authorized : covers);
  assert.equal((flags & FLAG_PENDING) !== 0, known?.pending ?? false);
  assert.equal(view.backingU32[at + BACKING_SKIPPED], known?.skipped ?? 0);
  assert.equal(view.backingU32[at + BACKING_OWNER], findOwner(view, owner));
  assert.equal(view.backingU32[at + BACKING_ASSET], findAsset(view, asset));
  const orders = [...model.orders.values()].filter((order) => order.owner === owner);
  const linked = (first: number, next: number) => {
    const ids: bigint[] = [];
    let slot = view.backingU32[at + first]!;
    for (; slot !== NONE; slot = view.orderU32[slot * ORDER_STRIDE_U32 + next]!) {
      ids.push(orderId(view, slot));
    }
    return ids.sort();
  };
  const sold = orders.filter((order) => order.selling === asset).map((order) => order.id);
  const received = orders.filter((order) => order.buying === asset).map((order) => order.id);
  assert.deepEqual(linked(BACKING_SOLD_FIRST, ORDER_SOLD_NEXT), sold.sort());
  assert.deepEqual(linked(BACKING_RECEIVED_FIRST, ORDER_RECEIVED_NEXT), received.sort());
}

/** Free blocks and blocks in use cover the arena exactly, without a lost or doubled entry. */
function checkArena(view: BookView): void {
  const owner = new Uint8Array(view.arena.length >> ARENA_CLASS_MIN);
  const claim = (offset: number, sizeClass: number) => {
    const from = offset >> ARENA_CLASS_MIN;
    for (let block = from; block < from + 2 ** (sizeClass - ARENA_CLASS_MIN); block += 1) {
      assert.equal(owner[block], 0, "arena block claimed twice");
      owner[block] = 1;
    }
  };
  for (let sizeClass = ARENA_CLASS_MIN; sizeClass <= 30; sizeClass += 1) {
    let link = view.headerU32[HEADER_ARENA_FREE + sizeClass]!;
    for (; link !== 0; link = view.arena[link - 1]!) claim(link - 1, sizeClass);
  }
  const claimList = (words: Uint32Array, at: number) => {
    if (words[at + LIST_COUNT] === 0) return;
    const base = words[at + 2]!;
    const sizeClass = words[at + LIST_CLASS]!;
    const start = words[at + LIST_START]!;
    assert(start >= base && start + words[at + LIST_COUNT]! <= base + 2 ** sizeClass);
    claim(base, sizeClass);
  };
  const highSide = view.headerU32[POOL_SIDES + POOL_HIGH]!;
  for (let side = 1; side <= highSide; side += 1) {
    claimList(view.sideU32, side * SIDE_STRIDE_U32 + SIDE_LIST);
  }
  const highAsset = view.headerU32[POOL_ASSETS + POOL_HIGH]!;
  for (let asset = 1; asset <= highAsset; asset += 1) {
    claimList(view.assetLinks, asset * LINKS_STRIDE_U32 + LINKS_SELLING_LIST);
    claimList(view.assetLinks, asset * LINKS_STRIDE_U32 + LINKS_BUYING_LIST);
  }
  assert(
    owner.every((claimed) => claimed === 1),
    "arena block lost",
  );
}
