// What clients that flood the push API cost the others: GET / of another client, and the way of a ledger from the
// RPC to a push. `ONLY=depth` runs the floods of whose name that is a part.
import assert from "node:assert/strict";
import type { Bench, Figure } from "./bench.ts";
import { Child } from "./child.ts";

export type FloodRunStart = { readonly tiny: boolean; readonly only: string };
/** Of a run that failed there are none. */
export type FloodRunEnd = { readonly figures?: readonly Figure[] };

/** As of a network in a process of its own (devnet/spawn.ts). */
const FLAGS = ["--max-semi-space-size=64"];

export const bench: Bench = async ({ tiny }) => {
  // It gives way to the engine for good: a process of its own, so that later benches do not.
  const run = new Child<FloodRunStart, FloodRunEnd>(
    new URL("./http-push-flood-run.js", import.meta.url),
    FLAGS,
  );
  const { figures } = await run.ask({ tiny, only: process.env.ONLY ?? "" });
  await run.ended();
  return figures ?? assert.fail("the run failed");
};
