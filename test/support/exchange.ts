import { join } from "node:path";
import type { ExchangeOptions } from "../../src/book/exchange.ts";
import { Exchange } from "../../src/book/exchange.ts";
import { token } from "./addresses.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const silentLog = { error: () => {} };

export const exchangeIdentity = {
  networkPassphrase: "a test network",
  contract: token(100),
  log: silentLog,
};

/** Options of an exchange in a folder of its own, with a clock that stands where a test sets it. */
export function exchangeOptions(clock: { now: number }, more: Partial<ExchangeOptions> = {}) {
  return {
    path: join(temporaryFolder(), "store"),
    ...exchangeIdentity,
    clock: () => clock.now,
    ...more,
  } satisfies ExchangeOptions;
}

export function openExchange(clock: { now: number }): Promise<Exchange> {
  return Exchange.open(exchangeOptions(clock));
}
