// The format of the settlement vectors: a call on a small world, its result, events and state after.
import { z } from "zod";
import { type Address, parseAddress } from "../../src/model/address.ts";
import { type OrderId, orderId } from "../../src/model/order.ts";
import { U128_MAX } from "../../src/model/settlement.ts";

export const integer = z.union([
  z.number().int().transform(BigInt),
  z
    .string()
    .regex(/^-?[0-9]{1,60}$/)
    .transform(BigInt),
]);
export const address = z.string().transform((text, context): Address => {
  const parsed = parseAddress(text);
  if (parsed !== undefined) return parsed;
  context.addIssue(`not an address: ${text}`);
  return z.NEVER;
});
const id = integer
  .refine((value) => value >= 0n && value <= U128_MAX, "not a u128")
  .transform((value): OrderId => orderId(value));
export const ids = z.array(id);
const direction = z.enum(["Sell", "Buy"]);
const approval = z
  .tuple([address, integer, z.number().int()])
  .transform(([asset, amount, liveUntil]) => ({ asset, amount, liveUntil }));

const tradeCall = z.object({
  direction,
  kind: z.enum(["Limit", "Fill", "FillOrKill"]),
  trader: address,
  amount: integer,
  selling: address,
  buying: address,
  price: integer,
  ids,
  oid: id,
  expires: integer,
  approve: approval.nullish(),
});
const updateCall = z.object({
  trader: address,
  updates: z.array(z.tuple([id, integer, integer, integer])),
  approvals: z.array(approval),
});
const crossfillCall = z.object({ trader: address, taker_id: id, ids });
const swapCall = z.object({
  direction,
  trader: address,
  selling: address,
  selling_amount: integer,
  buying_amount: integer,
  path: z.array(z.tuple([address, ids])),
  approve: approval.nullish(),
});

const orderState = z.object({
  id,
  owner: address,
  selling: address,
  buying: address,
  amount: integer,
  price: integer,
  expires: integer,
});
const holderState = z.object({
  asset: address,
  holder: address,
  balance: integer,
  authorized: z.boolean(),
  exists: z.boolean(),
  limit: integer.nullable(),
  sellingLiabilities: integer,
});
const allowanceState = z.object({
  asset: address,
  owner: address,
  amount: integer,
  liveUntil: z.number().int(),
});
export const worldState = z.object({
  contract: address,
  now: z.number().int(),
  ledger: z.number().int(),
  frozen: z.boolean(),
  orders: z.array(orderState),
  holders: z.array(holderState),
  allowances: z.array(allowanceState),
});
/** Every order; of holders and allowances only those that changed. */
const stateAfter = z.object({
  orders: z.array(orderState),
  holders: z.array(holderState),
  allowances: z.array(allowanceState),
});
const outcome = {
  before: worldState,
  /** `ok` or `error`, compared as written. */
  result: z.unknown(),
  events: z.array(z.unknown()),
  after: stateAfter,
};

export const settlementCase = z.discriminatedUnion("fn", [
  z.object({ fn: z.literal("trade"), args: tradeCall, ...outcome }),
  z.object({ fn: z.literal("update"), args: updateCall, ...outcome }),
  z.object({ fn: z.literal("crossfill"), args: crossfillCall, ...outcome }),
  z.object({ fn: z.literal("swap"), args: swapCall, ...outcome }),
]);

export type SettlementCase = z.infer<typeof settlementCase>;
export type WorldState = z.infer<typeof worldState>;
export type StateAfter = z.infer<typeof stateAfter>;
export type HolderState = z.infer<typeof holderState>;
export type OrderState = z.infer<typeof orderState>;
export type AllowanceState = z.infer<typeof allowanceState>;
