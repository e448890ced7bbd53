// The protocol between the main thread and the sink's thread.
import type { DatabaseOptions } from "./database.ts";

/** The thread's `workerData`. */
export type SinkOptions = DatabaseOptions & {
  /** Folder of the store. */
  readonly path: string;
};

/** `shown`: the store holds more than before. */
export type ToSink = { readonly kind: "shown" } | { readonly kind: "stop" };

export type FromSink =
  | ({ readonly kind: "status" } & SinkStatus)
  | { readonly kind: "log"; readonly level: SinkLogLevel; readonly message: string };

export type SinkLogLevel = "info" | "warn" | "error";
export type SinkLog = (level: SinkLogLevel, message: string) => void;

/** `waiting`: for the server; `refused`: for an operator. */
export const SINK_STATES = ["following", "catching-up", "waiting", "refused"] as const;

export type SinkStatus = {
  readonly state: (typeof SINK_STATES)[number];
  /** Every ledger up to it is in; 0: none, or not known yet. */
  readonly ledger: number;
  /** When it closed, UNIX seconds. */
  readonly closeTime: number;
  /** Written since the thread began, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Attempts that ended with an error. */
  readonly failures: number;
};
