// A short run of the load script on the small network: requests and push clients as users mix them.
// `npm run load` runs it at other scales and rates.
import assert from "node:assert/strict";
import { type Bench, figure } from "./bench.ts";
import { runLoad } from "./load/run-load.ts";
import { ownTarget } from "./load/target.ts";

export const bench: Bench = async ({ tiny }) => {
  const sizes = tiny
    ? { rate: 100, connections: 8, websockets: 8, seconds: 2 }
    : { rate: 500, connections: 64, websockets: 100, seconds: 20 };
  const target = await ownTarget({
    devnet: { seed: "load", ledgerTime: 500 },
    dataDir: undefined,
    engineFlags: [],
    say: () => undefined,
  });
  try {
    const { figures, outcomes, wrong } = await runLoad(target, {
      settings: { scale: "small", ...sizes },
      warmupSeconds: tiny ? 0.5 : 5,
      seed: 1,
      shareSeconds: tiny ? 0.05 : 1,
      say: () => undefined,
    });
    // A machine that is busy with other things may leave a quote no time: it is told so, with a 409.
    const unexpected = Object.keys(wrong).filter((what) => !what.startsWith("409 "));
    assert.deepEqual(unexpected, []);
    const answers = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    assert.equal(answers, sizes.rate * sizes.seconds);
    return figures.map(({ name, value, unit }) => figure(name, value, unit));
  } finally {
    await target.stop();
  }
};
