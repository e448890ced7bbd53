// An account's orders and backing as JSON members, all of one state. Many orders are put into text in
// slices between which the main thread serves others. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ReadModel } from "../book/read-model.ts";
import type { Address } from "../model/address.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { backingJson } from "./json/backing-json.ts";
import { orderJson } from "./json/order-json.ts";
import { jsonArray, type Later } from "./route.ts";
import { liveOrderJson } from "./routes/order.ts";

/** Orders of a slice: a few milliseconds of work (measured 2026-11, two cores: 1 to 3 ms). */
const SLICE_ORDERS = 100;
/** After so many states that passed while it was being made, the next one is copied (choice). */
const ATTEMPTS_MAX = 3;

/** A text and the step whose state it is of. */
export type MembersOfStep = { readonly step: number; readonly members: string };

/** So many that their text is made in slices. */
export function hasManyOrders(readModel: ReadModel, owner: Address): boolean {
  return ordersOf(readModel, owner, undefined, SLICE_ORDERS).length === SLICE_ORDERS;
}

/**
 * For who may show no state but the newest: the text stands as long as no other step is shown.
 * Undefined where states come faster than it can be made, and where nobody wants it any more.
 */
export async function membersBeforehand(
  readModel: ReadModel,
  owner: Address,
  isWanted: () => boolean,
): Promise<MembersOfStep | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX && isWanted(); attempt += 1) {
    const { step } = readModel;
    const members = await membersOfOneState(readModel, owner, isWanted);
    if (members !== undefined) return { step, members };
  }
  return undefined;
}

/** Of the state shown now, in one go: for who may not wait. */
export function accountMembers(readModel: ReadModel, owner: Address): string {
  const orders = ordersOf(readModel, owner, undefined, Math.max(1, readModel.liveOrderCount));
  return membersText(
    readModel,
    owner,
    orders.map((order) => liveOrderJson(readModel, order)),
  );
}

/**
 * A text at once where the account has few orders. Rejects with the signal's reason once nobody waits
 * for it any more.
 */
export function accountMembersInSlices(readModel: ReadModel, owner: Address): string | Later {
  const first = ordersOf(readModel, owner, undefined, SLICE_ORDERS);
  if (first.length === SLICE_ORDERS) return (signal) => slicedMembers(readModel, owner, signal);
  return membersText(
    readModel,
    owner,
    first.map((order) => liveOrderJson(readModel, order)),
  );
}

async function slicedMembers(
  readModel: ReadModel,
  owner: Address,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const text = await membersOfOneState(readModel, owner, () => !signal.aborted);
    signal.throwIfAborted();
    if (text !== undefined) return text;
  }
  return copiedMembers(readModel, owner, signal);
}

/** Undefined where another state was shown meanwhile, or nobody wants it any more. */
async function membersOfOneState(
  readModel: ReadModel,
  owner: Address,
  isWanted: () => boolean,
): Promise<string | undefined> {
  const { step } = readModel;
  const texts: string[] = [];
  let after: Position | undefined;
  for (;;) {
    const orders = ordersOf(readModel, owner, after, SLICE_ORDERS);
    for (const order of orders) texts.push(liveOrderJson(readModel, order));
    after = orders.at(-1)?.cursor;
    if (orders.length < SLICE_ORDERS) return membersText(readModel, owner, texts);
    await nextTurn();
    if (!isWanted() || readModel.step !== step) return undefined;
  }
}

/** States come faster than the text: what it says is copied in one go, and put into text in slices. */
async function copiedMembers(
  readModel: ReadModel,
  owner: Address,
  signal: AbortSignal,
): Promise<string> {
  const orders = ordersOf(readModel, owner, undefined, Math.max(1, readModel.liveOrderCount));
  const assets = new Set(orders.map(({ selling }) => selling));
  const backings = new Map(
    [...assets].map((asset) => [
      asset,
      { backing: readModel.backing(owner, asset), shares: readModel.ordersBacked(owner, asset) },
    ]),
  );
  const rest = membersText(readModel, owner, []);
  const shown = ({ selling, id }: Order) => {
    const { backing, shares } = backings.get(selling) ?? noBacking;
    const backed = shares.get(id);
    return backing === undefined || backed === undefined ? undefined : { backing, backed };
  };
  const texts: string[] = [];
  for (const [at, order] of orders.entries()) {
    if (at % SLICE_ORDERS === SLICE_ORDERS - 1) {
      await nextTurn();
      signal.throwIfAborted();
    }
    texts.push(orderJson(order, shown(order)));
  }
  return rest.replace(NO_ORDERS, () => `"orders":${jsonArray(texts)}`);
}

const NO_ORDERS = '"orders":[]';
const noBacking = { backing: undefined, shares: new Map<OrderId, bigint>() };

function ordersOf(
  readModel: ReadModel,
  owner: Address,
  after: Position | undefined,
  limit: number,
): readonly Order[] {
  const page = after === undefined ? { limit } : { after, limit };
  return readModel.liveOrders({ owner, assets: [] }, page);
}

function membersText(readModel: ReadModel, owner: Address, orders: readonly string[]): string {
  const { ledger } = readModel;
  const backing = readModel
    .accountBacking(owner)
    .map((record) => `"${record.asset}":${backingJson(record)}`);
  return (
    `"address":"${owner}"` +
    (ledger === undefined ? "" : `,"ledger":${ledger}`) +
    `,"orders":${jsonArray(orders)}` +
    `,"backing":{${backing.join(",")}}`
  );
}
