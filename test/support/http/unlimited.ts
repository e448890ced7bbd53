// A listener without limits that nobody measures.
import { BlockList } from "node:net";
import type { HttpMeter } from "../../../src/http/http-meter.ts";
import type { ListenerLimits } from "../../../src/http/limits/listener-limits.ts";

export const NO_LIMITS: ListenerLimits = {
  connections: 0,
  connectionsPerAddress: 0,
  pushConnections: 0,
  pushBufferBytes: 0,
  unreadAnswerBytes: 0,
  requestsPerSecond: 0,
  trustedProxies: new BlockList(),
};

export const NO_METER: HttpMeter = {
  answered: () => undefined,
  refused: () => undefined,
  received: () => undefined,
  sent: () => undefined,
  disconnected: () => undefined,
};
