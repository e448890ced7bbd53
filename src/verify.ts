// npm run verify: compares a running engine's live orders with the contract's order entries, and
// its candles and tickers with its trades.
// Exit code 0 where none differ, 1 where some do, 2 where it could not be compared.
import { setTimeout } from "node:timers/promises";
import { CommandError, runCommand } from "./command.ts";
import { contractSchema, httpUrlSchema } from "./config/schema.ts";
import type { Setting, SettingValues } from "./config/setting.ts";
import { address } from "./model/address.ts";
import { systemClock } from "./model/clock.ts";
import { messageOf } from "./model/thrown.ts";
import { compareOrders } from "./verify/compare.ts";
import { compareMarketData } from "./verify/compare-market-data.ts";
import { EngineClient } from "./verify/engine-client.ts";

const settings = [
  {
    name: "url",
    help: "base URL of the engine's API",
    default: "http://127.0.0.1:8080",
    schema: httpUrlSchema,
  },
  {
    name: "rpc",
    help: "Stellar RPC to read the entries from",
    default: "http://127.0.0.1:8000",
    schema: httpUrlSchema,
  },
  {
    name: "contract",
    help: "the exchange contract; without it the one the engine names",
    schema: contractSchema,
  },
] as const satisfies readonly Setting[];

process.exitCode = await runCommand("verify", settings, verify);

async function verify(values: SettingValues<typeof settings>): Promise<number> {
  const { url, rpc, contract: wanted } = values;
  try {
    const engine = new EngineClient(url);
    const served = await engine.contract();
    const contract = wanted ?? address(served);
    if (contract !== served) throw new Error(`the engine at ${url} follows ${served}`);
    const { checked, differences } = await compareOrders({
      engine,
      rpcUrl: rpc,
      contract,
      clock: systemClock,
      sleep: setTimeout,
    });
    const market = await compareMarketData(engine);
    for (const line of market.differences) process.stdout.write(`${line}\n`);
    process.stdout.write(
      `${market.candles} candles and ${market.tickers} tickers checked against the trades, ` +
        `${market.differences.length} differ\n`,
    );
    for (const { id, what } of differences) process.stdout.write(`order ${id}: ${what}\n`);
    process.stdout.write(`${checked} orders checked, ${differences.length} differ\n`);
    return differences.length + market.differences.length === 0 ? 0 : 1;
  } catch (error) {
    throw new CommandError(2, messageOf(error));
  }
}
