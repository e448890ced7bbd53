// The exchange's contract events (contract.md, Events) as the domain knows them.
import type { ExchangeEvent } from "../model/ledger-delta.ts";
import { type OrderId, orderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import { PRICE_MAX, PRICE_MIN } from "../model/settlement.ts";
import {
  type HostEvent,
  readAddress,
  readBool,
  readField,
  readI128,
  readSymbol,
  readU32,
  readU64,
  readU128,
  readVec,
  type ScValue,
} from "./sc-value.ts";

/**
 * Undefined where the event is none of the exchange's or its fields are not of the kinds the
 * contract gives them: the caller logs and counts such an event, and goes on.
 * Trades come out with `crossfill` false; which of them is a taker order's own fill shows only
 * beside the other events of the call.
 */
export function decodeExchangeEvent(
  { topics, data }: HostEvent,
  position: Position,
): ExchangeEvent | undefined {
  const kind = readSymbol(topics[0]) ?? "";
  // Of most kinds the data is a Vec.
  const fields = readVec(data);
  const [one, other] = [readAddress(topics[1]), readAddress(topics[2])];
  switch (kind) {
    case "new":
      return whole({
        kind,
        position,
        id: readOrderId(fields?.[0]),
        owner: readAddress(fields?.[1]),
        selling: one,
        buying: other,
        price: readPrice(fields?.[2]),
        amount: readAmount(fields?.[3]),
        expires: readTime(fields?.[4]),
      });
    case "mod": {
      const amount = readAmount(fields?.[2]);
      return whole({
        kind,
        position,
        id: readOrderId(fields?.[0]),
        // Of an order that is removed the price means nothing.
        price: amount === 0n ? readAmount(fields?.[1]) : readPrice(fields?.[1]),
        amount,
        expires: readTime(fields?.[3]),
      });
    }
    case "trade":
      return whole({
        kind,
        position,
        order: readOrderId(fields?.[0]),
        taker: readAddress(fields?.[1]),
        maker: readAddress(fields?.[2]),
        soldAsset: one,
        boughtAsset: other,
        sold: readAmount(fields?.[3]),
        bought: readAmount(fields?.[4]),
        left: readAmount(fields?.[5]),
        crossfill: false,
      });
    case "swap":
      return whole({
        kind,
        position,
        trader: readAddress(fields?.[0]),
        soldAsset: one,
        boughtAsset: other,
        sold: readAmount(fields?.[1]),
        bought: readAmount(fields?.[2]),
      });
    case "skip":
      return whole({ kind, position, id: readOrderId(data) });
    case "refresh":
      return whole({ kind, position, base: one, quote: other });
    case "freeze":
      return whole({ kind, position, frozen: readBool(data) });
    case "config":
      return whole({ kind, position, config: decodeConfig(data) });
    default:
      return undefined;
  }
}

function decodeConfig(data: ScValue) {
  return whole({
    safetyAdmin: readAddress(readField(data, "safety_admin")),
    oracle: readAddress(readField(data, "oracle")),
    listingMinDays: readU32(readField(data, "listing_min_days")),
    marketListingFee: readI128(readField(data, "market_listing_fee")),
    minTradeSize: readI128(readField(data, "min_trade_size")),
    ledgerTime: readU32(readField(data, "ledger_time")),
  });
}

/** Topics and fields of each event that is a Vec, or topics alone. */
const FORMS: Readonly<Record<string, { readonly topics: number; readonly fields?: number }>> = {
  new: { topics: 3, fields: 5 },
  mod: { topics: 1, fields: 4 },
  trade: { topics: 3, fields: 6 },
  swap: { topics: 3, fields: 3 },
  skip: { topics: 1 },
  refresh: { topics: 3 },
  freeze: { topics: 1 },
  config: { topics: 1 },
};
/** Fields of the map that a `config` event carries. */
const CONFIG_FIELDS = 6;

/**
 * The deviation of an event from its known form, as one of few phrases; undefined where there is none.
 * Additional fields are ignored.
 */
export function eventOddity({ topics, data }: HostEvent, isRead: boolean): string | undefined {
  const name = nameOf(topics[0]);
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (form === undefined) return `unknown event ${name}`;
  if (topics.length !== form.topics) return `${name} with ${topics.length} topics`;
  const fields = data.kind === "map" ? data.entries.length : readVec(data)?.length;
  const known = name === "config" ? CONFIG_FIELDS : form.fields;
  if (known !== undefined && fields !== undefined && fields !== known) {
    return `${name} with ${fields} fields`;
  }
  return isRead ? undefined : `${name} with other kinds of fields`;
}

/** A Symbol as long as the protocol allows at most: names of the exchange's events are such. */
export function nameOf(topic: ScValue | undefined): string {
  return readSymbol(topic) ?? "without a name";
}

/** Undefined where one of the fields is: of another kind than the contract gives it. */
function whole<T extends object>(
  fields: T,
): { readonly [K in keyof T]: Exclude<T[K], undefined> } | undefined {
  for (const value of Object.values(fields)) if (value === undefined) return undefined;
  return fields as { readonly [K in keyof T]: Exclude<T[K], undefined> };
}

export function readOrderId(value: ScValue | undefined): OrderId | undefined {
  const id = readU128(value);
  return id === undefined ? undefined : orderId(id);
}

/** Within the contract's range: whoever divides by a price, or looks for its level, relies on that. */
function readPrice(value: ScValue | undefined): bigint | undefined {
  const price = readAmount(value);
  return price === undefined || price < PRICE_MIN || price > PRICE_MAX ? undefined : price;
}

/** Prices and amounts are i128 on the chain and never negative in an event. */
function readAmount(value: ScValue | undefined): bigint | undefined {
  const amount = readI128(value);
  return amount === undefined || amount < 0n ? undefined : amount;
}

/**
 * Expirations are u64 seconds; those beyond what a double holds exactly lie past any date and
 * are all the same to us.
 */
function readTime(value: ScValue | undefined): number | undefined {
  const time = readU64(value);
  if (time === undefined) return undefined;
  return time > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(time);
}
