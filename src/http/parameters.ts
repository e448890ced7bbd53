// Parameters that several endpoints share. Everything here throws an ApiError that names the
// parameter, except where the API falls back to a default.
import { PAGE_DEFAULT, PAGE_MAX } from "../api/parameter-table.ts";
import type { Address } from "../model/address.ts";
import { parseAddress, parseContractAddress } from "../model/address.ts";
import type { Position } from "../model/position.ts";
import { parsePosition } from "../model/position.ts";
import { I128_MAX } from "../model/settlement.ts";
import type { NewestPage } from "../store/history.ts";
import { invalidParameter } from "./api-error.ts";
import type { ParameterName, Query } from "./query.ts";

/** A missing, invalid or non-positive `limit` is the default, a larger one the maximum. */
export function parsePageLimit(query: Query, max: number): number {
  const values = query.lenient("limit");
  const text = values[0];
  if (values.length !== 1 || text === undefined || !/^[0-9]+$/.test(text)) return PAGE_DEFAULT;
  const limit = Number(text);
  return limit === 0 ? PAGE_DEFAULT : Math.min(limit, max);
}

export function parseCursor(query: Query): Position | undefined {
  const text = query.one("cursor");
  if (text === undefined) return undefined;
  const cursor = parsePosition(text);
  if (cursor === undefined) {
    throw invalidParameter("cursor", "Expected the cursor of the last row received.");
  }
  return cursor;
}

/** A page of a list that is newest first. */
export function parseNewestPage(query: Query): NewestPage {
  return { before: parseCursor(query), limit: parsePageLimit(query, PAGE_MAX.history) };
}

/** The two assets of a `pair` filter, compared as given; undefined without the filter. */
export function parsePairFilter(query: Query): readonly [string, string] | undefined {
  const values = query.all("pair");
  if (values.length === 0) return undefined;
  const [one, other] = values;
  if (one === undefined || other === undefined || values.length > 2) {
    throw invalidParameter("pair", "Expected exactly two token contract addresses.");
  }
  return [one, other];
}

export function parseOwner(text: string | undefined): Address {
  return parseAccount("owner", text ?? "");
}

/** The filter of a list by an account; undefined without the filter. */
export function parseAccountFilter(query: Query, name: ParameterName): Address | undefined {
  const text = query.one(name);
  return text === undefined ? undefined : parseAccount(name, text);
}

function parseAccount(name: string, text: string): Address {
  const account = parseAddress(text);
  if (account === undefined) {
    throw invalidParameter(name, "Expected an account or contract address.");
  }
  return account;
}

export function parseToken(name: string, text: string | undefined): Address {
  const token = text === undefined ? undefined : parseContractAddress(text);
  if (token === undefined) throw invalidParameter(name, "Expected a token contract address.");
  return token;
}

// 2^127 - 1 has 39 digits; leading zeros change nothing, and must not make a huge BigInt either.
const POSITIVE = /^0*([1-9][0-9]{0,38})$/;

/** A positive i128 in digits alone: no sign, blank, fraction or exponent. */
export function parsePositiveInteger(name: string, text: string): bigint {
  const digits = POSITIVE.exec(text)?.[1];
  const value = digits === undefined ? 0n : BigInt(digits);
  if (value === 0n || value > I128_MAX) {
    throw invalidParameter(name, "Expected a positive integer of at most 2^127-1.");
  }
  return value;
}
