import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RESOLUTIONS } from "../api/parameter-table.ts";
import { RESOLUTIONS as STORED_RESOLUTIONS } from "../model/candle.ts";
import { ApiError } from "./api-error.ts";
import { AssetInput } from "./asset-input.ts";
import {
  type CandlesParameters,
  parseCandlesParameters,
  parseDepthParameters,
} from "./market-parameters.ts";
import { parseQuery } from "./query.ts";

const assets = new AssetInput("Test SDF Network ; September 2015");
const USDC = "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";
const MARKET = `market=XLM/${USDC}`;

function depth(text: string) {
  return parseDepthParameters(parseQuery(text), assets);
}

function candles(text: string): CandlesParameters {
  return parseCandlesParameters(parseQuery(`${MARKET}&${text}`), assets);
}

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 400);
    return error.message;
  }
  return assert.fail("it was accepted");
}

it("resolutions of the API are those of stored candles", () => {
  assert.deepEqual(
    RESOLUTIONS.map(([seconds]) => seconds),
    STORED_RESOLUTIONS,
  );
});

describe("depth parameters", () => {
  it("fills in the defaults and keeps the requested orientation", () => {
    const there = depth(MARKET);
    assert.equal(there.depth, 20);
    assert.equal(there.limit, 100);
    assert.equal(there.step, undefined);
    const back = depth(`market=${USDC}/native`);
    assert.equal(back.market.base, there.market.quote);
    assert.equal(back.market.quote, there.market.base);
  });

  it("brings steps of one value to one text", () => {
    for (const step of ["0.10", "00.1", "0.100000000000000000"]) {
      assert.equal(depth(`${MARKET}&step=${step}`).step, "0.1");
    }
    assert.equal(depth(`${MARKET}&step=010`).step, "10");
    assert.equal(depth(`${MARKET}&step=1.0`).step, "1");
  });

  it("names what is wrong", () => {
    for (const market of ["", "XLM", "XLM/", "XLM/native", `XLM/${USDC}/XLM`, "foo/XLM"]) {
      assert.match(
        messageOf(() => depth(`market=${market}`)),
        /Invalid parameter: "market"\. Expected BASE\/QUOTE format/,
      );
    }
    const wrong: Record<string, string[]> = {
      depth: ["0", "0.0", "100.1", "-1", "1e1", "abc", ".5", "5.", "%00"],
      step: ["0", "0.0", "-1", "1e-3", "abc", ".1", "0.1234567890123456789", `1${"0".repeat(40)}`],
      limit: ["0", "501", "-1", "1.5", "abc", "1e2", "0x10"],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        assert.match(
          messageOf(() => depth(`${MARKET}&${name}=${value}`)),
          new RegExp(`Invalid parameter: "${name}"`),
          value,
        );
      }
    }
  });
});

describe("candle parameters", () => {
  it("covers 1970 without a window", () => {
    const window = candles("");
    assert.equal(window.from, 0);
    assert.equal(window.to, 200 * 1_209_600);
    assert.equal(window.resolution, 1_209_600);
    assert.equal(window.order, "desc");
  });

  it("rounds from down and to up to 5 minutes", () => {
    const window = candles("from=1700000123&to=1700000401&resolution=300");
    assert.equal(window.from, 1_700_000_100);
    assert.equal(window.to, 1_700_000_700);
  });

  it("coarsens a window that is too long to the finest resolution that fits", () => {
    assert.equal(candles("from=1699920000&to=1700006400&resolution=5m").resolution, 900);
    assert.equal(candles("from=1699920000&to=1699980000&resolution=5m").resolution, 300);
    assert.equal(candles("from=1699920000&to=1699980001&resolution=5m").resolution, 900);
    assert.equal(candles("from=1699920000&to=1700006400&resolution=1h").resolution, 3600);
  });

  it("picks the finest resolution that fits where none is asked for", () => {
    assert.equal(candles("from=1699920000&to=1699980000").resolution, 300);
    assert.equal(candles("from=1699920000&to=1700006400").resolution, 900);
  });

  it("holds at most 200 candles in any window, aligned or not", () => {
    for (let shift = 0; shift < 3000; shift += 100) {
      for (const length of [300, 59_900, 60_000, 86_400, 1_000_000, 100_000_000, 900_000_000]) {
        const from = 1_600_000_000 + shift;
        const window = candles(`from=${from}&to=${from + length}`);
        const buckets =
          Math.ceil(window.to / window.resolution) - Math.floor(window.from / window.resolution);
        assert.ok(buckets <= 200, `${from} ${length}: ${buckets}`);
      }
    }
  });

  it("ends an open window after 200 candles", () => {
    const window = candles("from=1700000000&resolution=1h");
    assert.equal(window.resolution, 3600);
    assert.equal(window.to - Math.floor(1_700_000_000 / 3600) * 3600, 200 * 3600);
  });

  it("names what is wrong", () => {
    assert.equal(
      messageOf(() => candles("from=10&to=10")),
      'Bad request. Parameter "to" should be larger than "from".',
    );
    const wrong: Record<string, string[]> = {
      resolution: ["600", "7m", "5M", "0", "-300", "abc", "300.0"],
      order: ["ASC", "up", "1"],
      from: ["-1", "abc", "1.5", "1e9", "99999999999999999999"],
      to: ["-1", "abc", "1e9"],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        assert.match(
          messageOf(() => candles(`${name}=${value}`)),
          new RegExp(`Invalid parameter: "${name}"`),
          value,
        );
      }
    }
  });
});
