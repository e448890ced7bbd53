import type { Address } from "../model/address.ts";
import type { Clock } from "../model/clock.ts";
import type { StoreOptions } from "../store/store.ts";
import type { BackingView, BookWriter } from "./step.ts";
import type { StepMeter } from "./step-meter.ts";

/** The part of a pino logger that the exchange uses. */
export type ExchangeLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

export type ExchangeOptions = {
  /** Folder of the store; made when missing. */
  readonly path: string;
  readonly networkPassphrase: string;
  readonly contract: Address;
  readonly store?: StoreOptions;
  readonly clock: Clock;
  readonly log: ExchangeLog;
  /** Without one, no shared book is kept (tools and tests). */
  readonly book?: BookWriter;
  /** Without one, no backing is known. */
  readonly backing?: BackingView;
  readonly meter?: StepMeter;
};
