// What the exchange may move of the account that is named as a call's trader, from the channel `account`.
import { parseAddress } from "../../../src/model/address.ts";
import { AccountState } from "../account/account-state.ts";
import type { Connection } from "../api/connection.ts";
import type { Trader } from "./approval.ts";

export class WatchedTrader {
  readonly #connection: Connection;
  readonly #changed: () => void;
  #watched:
    | { readonly address: string; readonly state: AccountState; readonly end: () => void }
    | undefined;

  constructor(connection: Connection, changed: () => void) {
    this.#connection = connection;
    this.#changed = changed;
  }

  /** Of the account watched: its orders and what stands behind them. */
  get state(): AccountState | undefined {
    return this.#watched?.state;
  }

  /** `address` undefined, or none: nobody. */
  watch(address: string | undefined): void {
    if (address === this.#watched?.address) return;
    this.#watched?.end();
    this.#watched = undefined;
    if (address === undefined || parseAddress(address) === undefined) return;
    const state = new AccountState();
    const end = this.#connection.subscribe(
      { channel: "account", address },
      {
        message: (message) => {
          state.received(message);
          this.#changed();
        },
        // More accounts than a connection may watch: what they have approved stays unknown.
        refused: () => undefined,
      },
    );
    this.#watched = { address, state, end };
  }

  /** For a call that sells the token. */
  of(token: string): Trader {
    const state = this.#watched?.state;
    if (state === undefined) return { kind: "unnamed" };
    if (!state.loaded) return { kind: "loading" };
    const held = state.backing.get(token);
    return { kind: "known", held: held?.updated === undefined ? undefined : held };
  }
}
