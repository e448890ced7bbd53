// The process of disk-full.test.ts: follows ledgers into the store in argv[2] until it has as many
// as argv[3] says, and tells its parent about every commit that fails.
import { Exchange } from "../../src/book/exchange.ts";
import { randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { followerOptions, LEDGER_EVENTS, SEED } from "./disk-full-settings.ts";

const [, , path = "", count = "0"] = process.argv;
const error = () => {
  // Reads go on while nothing can be written.
  process.send?.({ failedAt: exchange.ledger, trades: exchange.trades({}, { limit: 1e6 }).length });
};
const exchange = await Exchange.open({
  ...followerOptions(path),
  log: { info: () => {}, warn: () => {}, error },
});
for (const delta of randomLedgers(randomFrom(SEED), Number(count), LEDGER_EVENTS)) {
  await exchange.apply(delta);
}
await exchange.close();
process.send?.({ done: true });
process.disconnect();
