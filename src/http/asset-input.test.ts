import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Asset } from "@stellar/stellar-sdk/base";
import { AssetInput } from "./asset-input.ts";

const TESTNET = "Test SDF Network ; September 2015";
const ISSUER = "GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";
const XLM_TOKEN = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
const USDC_TOKEN = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA";

describe("asset input", () => {
  const assets = new AssetInput(TESTNET);

  it("resolves every form to the token contract of the network", () => {
    for (const text of ["XLM", "xlm", "native", XLM_TOKEN]) {
      assert.equal(assets.parse(text), XLM_TOKEN);
    }
    for (const text of [`USDC:${ISSUER}`, `USDC-${ISSUER}`, USDC_TOKEN]) {
      assert.equal(assets.parse(text), USDC_TOKEN);
    }
  });

  it("agrees with the SDK for codes of every length", () => {
    for (let length = 1; length <= 12; length += 1) {
      const code = "aZ09bcdefghi".slice(0, length);
      assert.equal(assets.parse(`${code}:${ISSUER}`), new Asset(code, ISSUER).contractId(TESTNET));
    }
  });

  it("refuses anything else", () => {
    const wrong = [
      "",
      "Xlm",
      "USDC",
      `:${ISSUER}`,
      `ABCDEFGHIJKLM:${ISSUER}`,
      `US C:${ISSUER}`,
      `USDC/${ISSUER}`,
      `USDC:${ISSUER.slice(0, -1)}6`,
      `USDC:${USDC_TOKEN}`,
      `${USDC_TOKEN.slice(0, -1)}B`,
      ISSUER,
      "constructor",
    ];
    for (const text of wrong) assert.equal(assets.parse(text), undefined, text);
  });

  it("stays right once more codes were asked for than it keeps", () => {
    for (let index = 0; index < 1100; index += 1) assets.parse(`C${index}:${ISSUER}`);
    assert.equal(assets.parse(`USDC:${ISSUER}`), USDC_TOKEN);
    assert.equal(assets.parse("XLM"), XLM_TOKEN);
  });
});
