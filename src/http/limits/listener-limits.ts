// Limits of the public listener. 0 means no limit.
import type { BlockList } from "node:net";

export type ListenerLimits = {
  /** Open connections, push included. */
  readonly connections: number;
  /** The same of one address, and push connections of one client address. */
  readonly connectionsPerAddress: number;
  readonly pushConnections: number;
  /** Bytes that may wait for all push clients together. */
  readonly pushBufferBytes: number;
  /** The same of answers to requests. */
  readonly unreadAnswerBytes: number;
  /** Requests and push messages a second from one client address. */
  readonly requestsPerSecond: number;
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: BlockList;
};
