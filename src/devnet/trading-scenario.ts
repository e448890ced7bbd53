// The scenario of the running devnet: markets, makers and takers that follow from seed and scale.

import { exchange } from "./contract/exchange.ts";
import { oracleContract } from "./contract/oracle.ts";
import { router } from "./contract/router.ts";
import { NATIVE } from "./ledger/asset.ts";
import { GENESIS_LEDGER } from "./ledger/genesis.ts";
import { CodeHash, createNetwork, deployExchange, networkGenesis } from "./network.ts";
import type { DevnetOptions } from "./options.ts";
import type { Scenario } from "./scenario.ts";
import { buildCast } from "./traffic/cast.ts";
import { SCALES, type TrafficScale } from "./traffic/scale.ts";
import { Traffic } from "./traffic/traffic.ts";

/** Base units of lumens that the oracle asks for a day of prices of one market. */
const ORACLE_DAILY_FEE = 1_000_000n;

/** Decimals of a reference price: a token can be worth a tenth of a cent. */
const PRICE_DIGITS = 9;

export function tradingScenario(options: DevnetOptions): Scenario {
  const { seed, passphrase, freezes } = options;
  const network = createNetwork(seed, passphrase);
  const cast = buildCast({ seed, scale: scaleOf(options) });
  // The exchange is deployed in the ledger after the genesis one.
  const firstLedger = GENESIS_LEDGER + 2;
  const traffic = new Traffic({ cast, addresses: network, firstLedger, freezes });
  return {
    genesis: (_, closeTime) =>
      networkGenesis(network, {
        closeTime,
        assets: cast.assets.flatMap(({ classic }) => (classic === undefined ? [] : [classic])),
        plainTokenAdmin: cast.treasury,
      }),
    models: [
      { hash: CodeHash.exchange, run: exchange },
      { hash: CodeHash.router, run: router },
      {
        hash: CodeHash.oracle,
        run: oracleContract({
          priceAt: (asset, now) => traffic.oraclePriceAt(asset, now),
          feeToken: network.tokenOf(NATIVE),
          dailyFee: ORACLE_DAILY_FEE,
        }),
      },
    ],
    faucet: ({ plainToken }) => ({
      classic: cast.assets.flatMap(({ classic }) => (classic === undefined ? [] : [classic])),
      minted: cast.assets.some(({ classic }) => classic === undefined)
        ? [{ token: plainToken, minter: cast.treasury }]
        : [],
    }),
    opening: [deployExchange(network, traffic.config)],
    preludeLedgers: 1 + traffic.genesisLedgers,
    makers: new Set([...cast.makers, network.router]),
    traffic: (view, thin) => traffic.intents(view, thin),
    referencePrices: new Map(
      traffic.world.assets.map(({ token, walk }) => [token, walk.usd.toFixed(PRICE_DIGITS)]),
    ),
  };
}

/** The preset with what the options say otherwise. */
export function scaleOf(options: DevnetOptions): TrafficScale {
  const preset: TrafficScale = SCALES[options.scale];
  const { assets, markets, makers, levels, takers, transactionsPerLedger } = options;
  return {
    ...preset,
    assets: assets ?? preset.assets,
    markets: markets ?? preset.markets,
    makers: makers ?? preset.makers,
    levels: levels ?? preset.levels,
    takers: takers ?? preset.takers,
    transactionsPerLedger: transactionsPerLedger ?? preset.transactionsPerLedger,
  };
}
