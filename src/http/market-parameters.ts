// Parameters of market data, shared by the REST endpoints and the push channels: a channel's
// parameters are read with the same code once its message is a Query.
import {
  CANDLES_MAX,
  DEPTH_BAND,
  LEVELS,
  RESOLUTIONS,
  STEP_DIGITS,
  UNIX_SECONDS_MAX,
} from "../api/parameter-table.ts";
import type { DepthRequest } from "../book/depth.ts";
import { type Address, canonicalPair, type Pair } from "../model/address.ts";
import { ApiError, invalidParameter } from "./api-error.ts";
import type { AssetInput } from "./asset-input.ts";
import type { Query } from "./query.ts";

/** A market in the orientation that was asked for, which need not be the canonical one. */
export type RequestedMarket = { readonly base: Address; readonly quote: Address };

export type CandlesParameters = {
  readonly market: RequestedMarket;
  /** UNIX seconds, multiples of 300; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Seconds: a standard one under which the window holds at most `CANDLES_MAX` candles. */
  readonly resolution: number;
  readonly order: "asc" | "desc";
};

/** `from` and `to` apply at this granularity. */
const WINDOW_GRAIN_SECONDS = 300;

const COARSEST = Math.max(...RESOLUTIONS.map(([seconds]) => seconds));

/** `BASE/QUOTE`, each side in any asset form. */
export function parseMarket(text: string | undefined, assets: AssetInput): RequestedMarket {
  const sides = text?.split("/") ?? [];
  const [baseText, quoteText] = sides;
  const base = baseText === undefined ? undefined : assets.parse(baseText);
  const quote = quoteText === undefined ? undefined : assets.parse(quoteText);
  if (sides.length !== 2 || base === undefined || quote === undefined || base === quote) {
    throw invalidParameter("market", "Expected BASE/QUOTE format.");
  }
  return { base, quote };
}

/** The same in its canonical orientation. */
export function parsePair(text: string | undefined, assets: AssetInput): Pair {
  const { base, quote } = parseMarket(text, assets);
  return canonicalPair(base, quote);
}

export function parseDepthParameters(query: Query, assets: AssetInput): DepthRequest {
  const market = parseMarket(query.one("market"), assets);
  const depth = parseDepth(query.one("depth"));
  const step = parseStep(query.one("step"));
  const limit = parseIntegerWithin("limit", query.one("limit"), LEVELS.max) ?? LEVELS.default;
  return step === undefined ? { market, depth, limit } : { market, depth, step, limit };
}

function parseDepth(text: string | undefined): number {
  if (text === undefined) return DEPTH_BAND.default;
  const depth = /^[0-9]{1,20}(\.[0-9]{1,20})?$/.test(text) ? Number(text) : 0;
  if (!(depth > 0 && depth <= DEPTH_BAND.max)) {
    throw invalidParameter(
      "depth",
      `Expected a number greater than 0 and at most ${DEPTH_BAND.max}.`,
    );
  }
  return depth;
}

function parseStep(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parts = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  const whole = (parts?.[1] ?? "").replace(/^0+(?=[0-9])/, "");
  const fraction = parts?.[2] ?? "";
  const valid =
    parts !== null &&
    whole.length <= STEP_DIGITS.whole &&
    fraction.length <= STEP_DIGITS.fraction &&
    /[1-9]/.test(whole + fraction);
  if (!valid) {
    throw invalidParameter(
      "step",
      `Expected a positive decimal with at most ${STEP_DIGITS.fraction} fractional digits.`,
    );
  }
  const shortest = fraction.replace(/0+$/, "");
  return shortest === "" ? whole : `${whole}.${shortest}`;
}

/** An integer from 1 to `max`; undefined where it is missing. */
export function parseIntegerWithin(
  name: string,
  text: string | undefined,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) {
    throw invalidParameter(name, `Expected an integer from 1 to ${max}.`);
  }
  return value;
}

export function parseCandlesParameters(query: Query, assets: AssetInput): CandlesParameters {
  const market = parseMarket(query.one("market"), assets);
  const fromText = query.one("from");
  const toText = query.one("to");
  const from = fromText === undefined ? 0 : parseUnixSeconds("from", fromText);
  const to = toText === undefined ? undefined : parseUnixSeconds("to", toText);
  const resolutionText = query.one("resolution");
  const requested = resolutionText === undefined ? undefined : parseResolution(resolutionText);
  const order = parseCandleOrder(query.one("order"));
  if (to !== undefined && to <= from) {
    throw new ApiError(
      400,
      "invalid_window",
      'Bad request. Parameter "to" should be larger than "from".',
    );
  }
  return { market, order, ...candleWindow(from, to, requested) };
}

/** Seconds or an alias; throws an ApiError for anything that is no standard resolution. */
export function parseResolution(text: string | undefined): number {
  const found = RESOLUTIONS.find(([seconds, alias]) => text === String(seconds) || text === alias);
  if (found === undefined) {
    const accepted = RESOLUTIONS.map(([seconds, alias]) => `${seconds} or ${alias}`).join(", ");
    throw invalidParameter("resolution", `Expected one of ${accepted}.`);
  }
  return found[0];
}

/**
 * The window widened to whole 5 minutes, and the finest resolution, from the requested one on, that
 * keeps it within `CANDLES_MAX` candles. A window too long for the coarsest one keeps its newest candles.
 */
function candleWindow(from: number, to: number | undefined, requested: number | undefined) {
  const start = floorTo(from, WINDOW_GRAIN_SECONDS);
  if (to === undefined) {
    const resolution = requested ?? COARSEST;
    // The bucket that `from` falls into counts as one of the window's candles.
    return { from: start, to: floorTo(start, resolution) + CANDLES_MAX * resolution, resolution };
  }
  const end = -floorTo(-to, WINDOW_GRAIN_SECONDS);
  for (const [resolution] of RESOLUTIONS) {
    if (resolution < (requested ?? 0)) continue;
    if (candlesBetween(start, end, resolution) <= CANDLES_MAX) {
      return { from: start, to: end, resolution };
    }
  }
  const lastBucket = floorTo(end - 1, COARSEST);
  return {
    from: Math.max(start, lastBucket - (CANDLES_MAX - 1) * COARSEST),
    to: end,
    resolution: COARSEST,
  };
}

function candlesBetween(from: number, to: number, resolution: number): number {
  return (floorTo(to - 1, resolution) - floorTo(from, resolution)) / resolution + 1;
}

function floorTo(value: number, grain: number): number {
  return Math.floor(value / grain) * grain;
}

function parseUnixSeconds(name: string, text: string): number {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= UNIX_SECONDS_MAX)) throw invalidParameter(name, "Expected UNIX seconds.");
  return value;
}

function parseCandleOrder(text: string | undefined): "asc" | "desc" {
  if (text === undefined || text === "desc") return "desc";
  if (text === "asc") return "asc";
  throw invalidParameter("order", "Expected asc or desc.");
}
