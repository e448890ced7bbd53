// The process of disk-full.test.ts: follows ledgers into the store in argv[2] until it has as many
// as argv[3] says, and tells its parent about every commit that fails.
import { Exchange } from "../../src/book/exchange.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import { bookLedger } from "../../src/book/shared-reader.ts";
import { randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { CONTRACT, followerOptions, LEDGER_EVENTS, SEED } from "./disk-full-settings.ts";

const [, , path = "", count = "0"] = process.argv;
const book = new SharedBook({ contract: CONTRACT, untracked: "covers" });
let told = 0;
const error = () => {
  // Reads go on while nothing can be written, and nothing is shown of what could not be.
  process.send?.({
    failedAt: exchange.state.ledger,
    trades: exchange.state.history.trades({}, { limit: 1e6 }).length,
    inBook: bookLedger(book.live),
    told,
  });
};
const exchange = await Exchange.open({
  ...followerOptions(path),
  book,
  log: { error },
});
exchange.state.onStep(({ ledger }) => {
  told = ledger;
});
for (const delta of randomLedgers(randomFrom(SEED), Number(count), LEDGER_EVENTS)) {
  await exchange.apply(delta);
}
await exchange.close();
process.send?.({ done: true });
process.disconnect();
