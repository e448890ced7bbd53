// Users who call the exchange through the router contract.
import type { TransactionIntent } from "../intent.ts";
import { type CallIntent, routed } from "./exchange-intent.ts";
import { failingCall } from "./mischief.ts";
import type { Scene } from "./quoting.ts";
import { swapAlongPath } from "./swapper.ts";
import { takeOffers } from "./taker.ts";

/** One to three calls in a transaction, some of which fail and are caught, or sink it. */
export function callThroughRouter(scene: Scene): readonly TransactionIntent[] {
  const { world, random } = scene;
  const intents: CallIntent[] = [];
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    intents.push(...pickCall(scene));
  }
  const [first] = intents;
  if (first === undefined) return [];
  // Every account named in the calls signs, so that none fails for a missing signature alone.
  const signers = [...new Set(intents.map(({ source }) => source))];
  const calls = intents.map((intent) => ({ intent, caught: random.chance(0.7) }));
  const fn = random.chance(0.1) ? "run_then_fail" : "run";
  return [{ ...routed(world, first.source, calls, fn), signers }];
}

function pickCall(scene: Scene): readonly CallIntent[] {
  const act = scene.random.pick([takeOffers, swapAlongPath, failingCall]);
  return act(scene).filter((intent): intent is CallIntent => intent.kind === "call");
}
