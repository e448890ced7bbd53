// The port that the public listener reports to, for metrics. Hot path: called for every request and message.

/** Main thread; nothing here may throw. `route`, `limit` and `reason`: one of a few fixed names. */
export interface HttpMeter {
  /** `milliseconds` from the request's arrival in our code to its answer. */
  answered(route: string, status: number, milliseconds: number): void;
  /** A limit of the listener kept a request or a connection out. */
  refused(limit: string): void;
  /** A push message came. */
  received(bytes: number): void;
  /** A push message went to so many clients. */
  sent(messages: number, bytes: number): void;
  /** The server ended a push connection. */
  disconnected(reason: string): void;
}
