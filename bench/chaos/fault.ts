// The faults of a chaos run: each begins, lasts a while, and ends.
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../load/random.ts";
import { pick } from "../load/random.ts";
import { GONE_MODES, LAGGING_MODES, LYING_MODES, type ProxyMode } from "./fault-proxy.ts";
import { sendMalformedFrames, sendMalformedHttp, sendOversize, stallClients } from "./hostile.ts";
import type { Subject } from "./subject.ts";

export type FaultContext = {
  readonly subject: Subject;
  readonly random: Random;
  /** How long it lasts. */
  readonly holdMs: number;
  readonly stalledClients: number;
};

export type Fault = {
  readonly name: string;
  /** Why it cannot happen here; absent: it can. */
  readonly skipped?: (subject: Subject) => string | undefined;
  /** Resolves when the fault is over; what it did in words. */
  readonly happen: (context: FaultContext) => Promise<string>;
};

/** Seconds: a correction of minutes, wrong zones, a dead battery, a typing error. */
const CLOCK_JUMPS = [20, -20, 3600, -3600, 3 * 86_400, -400 * 86_400, 10 * 365 * 86_400] as const;
/** A killed engine is not up again before. */
const DOWN_MS = 100;

/** One of the two RPCs does, or both in the same way. */
async function misbehave(
  { subject, random, holdMs }: FaultContext,
  modes: readonly ProxyMode[],
): Promise<string> {
  const mode = pick(random, modes) ?? "gone";
  const at = Math.floor(random() * (subject.proxies.length + 1));
  const proxies = subject.proxies.filter(
    (_, proxy) => at === subject.proxies.length || at === proxy,
  );
  for (const proxy of proxies) proxy.mode = mode;
  await delay(holdMs);
  for (const proxy of proxies) proxy.mode = "honest";
  return `${mode}, ${proxies.length} of ${subject.proxies.length}`;
}

export const FAULTS: readonly Fault[] = [
  {
    name: "engine killed and restarted",
    happen: async ({ subject }) => {
      await subject.kill();
      await delay(DOWN_MS);
      await subject.start();
      return "kill -9";
    },
  },
  {
    name: "RPC gone",
    happen: (context) => misbehave(context, GONE_MODES),
  },
  {
    name: "RPC lying",
    happen: (context) => misbehave(context, LYING_MODES),
  },
  {
    name: "RPC lagging",
    happen: (context) => misbehave(context, LAGGING_MODES),
  },
  {
    name: "router worker killed",
    happen: async ({ subject, holdMs }) => {
      subject.engine.send({ kind: "endRouter" });
      await delay(holdMs / 4);
      return "ended";
    },
  },
  {
    name: "disk full",
    skipped: ({ disk }) => (typeof disk === "string" ? disk : undefined),
    happen: async ({ subject, holdMs, random }) => {
      if (typeof subject.disk === "string") return "not at all";
      subject.disk.fill();
      await delay(holdMs);
      const killed = random() < 0.3;
      if (killed) await subject.kill();
      subject.disk.empty();
      if (killed) await subject.start();
      return killed ? "and the engine killed meanwhile" : "and emptied";
    },
  },
  {
    name: "clock jump",
    happen: async ({ subject, random, holdMs }) => {
      const seconds = pick(random, CLOCK_JUMPS) ?? 20;
      subject.engine.send({ kind: "shiftClock", seconds });
      await delay(holdMs);
      subject.engine.send({ kind: "shiftClock", seconds: 0 });
      return `${seconds} s and back`;
    },
  },
  {
    name: "clients that connect and stall",
    happen: async ({ subject, holdMs, stalledClients }) => {
      const letGo = await stallClients(subject.port, stalledClients);
      await delay(holdMs);
      letGo();
      return `${stalledClients}`;
    },
  },
  {
    name: "malformed HTTP",
    happen: async ({ subject }) => {
      await sendMalformedHttp(subject.port);
      return "sent";
    },
  },
  {
    name: "malformed WebSocket frames",
    happen: async ({ subject }) => {
      await sendMalformedFrames(subject.port);
      return "sent";
    },
  },
  {
    name: "oversize requests and messages",
    happen: async ({ subject }) => {
      await sendOversize(subject.port);
      return "sent";
    },
  },
];
