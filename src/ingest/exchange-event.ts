// The exchange's contract events (contract.md, Events) as the domain knows them.
import type { ExchangeEvent } from "../model/ledger-delta.ts";
import { type OrderId, orderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
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
  switch (readSymbol(topics[0]) ?? "") {
    case "new":
      return decodeNew(topics, data, position);
    case "mod":
      return decodeMod(data, position);
    case "trade":
      return decodeTrade(topics, data, position);
    case "swap":
      return decodeSwap(topics, data, position);
    case "skip": {
      const id = readOrderId(data);
      return id === undefined ? undefined : { kind: "skip", position, id };
    }
    case "refresh": {
      const base = readAddress(topics[1]);
      const quote = readAddress(topics[2]);
      if (base === undefined || quote === undefined) return undefined;
      return { kind: "refresh", position, base, quote };
    }
    case "freeze": {
      const frozen = readBool(data);
      return frozen === undefined ? undefined : { kind: "freeze", position, frozen };
    }
    case "config":
      return decodeConfig(data, position);
    default:
      return undefined;
  }
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

function decodeNew(
  topics: readonly ScValue[],
  data: ScValue,
  position: Position,
): ExchangeEvent | undefined {
  const fields = readVec(data);
  const selling = readAddress(topics[1]);
  const buying = readAddress(topics[2]);
  const id = readOrderId(fields?.[0]);
  const owner = readAddress(fields?.[1]);
  const price = readAmount(fields?.[2]);
  const amount = readAmount(fields?.[3]);
  const expires = readTime(fields?.[4]);
  if (
    selling === undefined ||
    buying === undefined ||
    id === undefined ||
    owner === undefined ||
    price === undefined ||
    amount === undefined ||
    expires === undefined
  ) {
    return undefined;
  }
  return { kind: "new", position, id, owner, selling, buying, price, amount, expires };
}

function decodeMod(data: ScValue, position: Position): ExchangeEvent | undefined {
  const fields = readVec(data);
  const id = readOrderId(fields?.[0]);
  const price = readAmount(fields?.[1]);
  const amount = readAmount(fields?.[2]);
  const expires = readTime(fields?.[3]);
  if (id === undefined || price === undefined || amount === undefined || expires === undefined) {
    return undefined;
  }
  return { kind: "mod", position, id, price, amount, expires };
}

function decodeTrade(
  topics: readonly ScValue[],
  data: ScValue,
  position: Position,
): ExchangeEvent | undefined {
  const fields = readVec(data);
  const soldAsset = readAddress(topics[1]);
  const boughtAsset = readAddress(topics[2]);
  const order = readOrderId(fields?.[0]);
  const taker = readAddress(fields?.[1]);
  const maker = readAddress(fields?.[2]);
  const sold = readAmount(fields?.[3]);
  const bought = readAmount(fields?.[4]);
  const left = readAmount(fields?.[5]);
  if (
    soldAsset === undefined ||
    boughtAsset === undefined ||
    order === undefined ||
    taker === undefined ||
    maker === undefined ||
    sold === undefined ||
    bought === undefined ||
    left === undefined
  ) {
    return undefined;
  }
  const crossfill = false;
  return {
    kind: "trade",
    position,
    order,
    taker,
    maker,
    soldAsset,
    boughtAsset,
    sold,
    bought,
    left,
    crossfill,
  };
}

function decodeSwap(
  topics: readonly ScValue[],
  data: ScValue,
  position: Position,
): ExchangeEvent | undefined {
  const fields = readVec(data);
  const soldAsset = readAddress(topics[1]);
  const boughtAsset = readAddress(topics[2]);
  const trader = readAddress(fields?.[0]);
  const sold = readAmount(fields?.[1]);
  const bought = readAmount(fields?.[2]);
  if (
    soldAsset === undefined ||
    boughtAsset === undefined ||
    trader === undefined ||
    sold === undefined ||
    bought === undefined
  ) {
    return undefined;
  }
  return { kind: "swap", position, trader, soldAsset, boughtAsset, sold, bought };
}

function decodeConfig(data: ScValue, position: Position): ExchangeEvent | undefined {
  const safetyAdmin = readAddress(readField(data, "safety_admin"));
  const oracle = readAddress(readField(data, "oracle"));
  const listingMinDays = readU32(readField(data, "listing_min_days"));
  const marketListingFee = readI128(readField(data, "market_listing_fee"));
  const minTradeSize = readI128(readField(data, "min_trade_size"));
  const ledgerTime = readU32(readField(data, "ledger_time"));
  if (
    safetyAdmin === undefined ||
    oracle === undefined ||
    listingMinDays === undefined ||
    marketListingFee === undefined ||
    minTradeSize === undefined ||
    ledgerTime === undefined
  ) {
    return undefined;
  }
  return {
    kind: "config",
    position,
    config: { safetyAdmin, oracle, listingMinDays, marketListingFee, minTradeSize, ledgerTime },
  };
}

export function readOrderId(value: ScValue | undefined): OrderId | undefined {
  const id = readU128(value);
  return id === undefined ? undefined : orderId(id);
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
