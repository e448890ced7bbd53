// Records the order book of a market: a line of JSON for every book, as it changes.
//
//   node dist/examples/depth-recorder.js --market BASE/QUOTE > books.jsonl
//
// Each message holds the whole book, so a line stands for itself: there are no deltas to apply and
// no gaps to mend after a reconnect.
import { connect, endProcess } from "./connect.ts";
import { readFlags, requireIntegers, wrongUsage } from "./flags.ts";

const USAGE = `depth-recorder --market BASE/QUOTE [--depth 20] [--limit 100] [--count 0]
  [--url http://localhost:8080]`;

const {
  url,
  market,
  depth,
  limit,
  count: countMax,
} = readFlags(USAGE, {
  url: { type: "string", default: "http://localhost:8080" },
  market: { type: "string" },
  /** Band around the mid price in percent. */
  depth: { type: "string", default: "20" },
  /** Levels of each side. */
  limit: { type: "string", default: "100" },
  /** End after so many books; 0: never. */
  count: { type: "string", default: "0" },
});
if (market === undefined) wrongUsage(USAGE, "--market is needed");
requireIntegers(USAGE, { count: countMax }, 0);

let count = 0;
const push = connect(url);
push.subscribe(
  { channel: "depth", market, depth, limit },
  {
    message: (message) => {
      console.log(JSON.stringify({ market: message.market, ...message.data }));
      count += 1;
      if (count === Number(countMax)) push.close();
    },
    refused: endProcess,
  },
);
