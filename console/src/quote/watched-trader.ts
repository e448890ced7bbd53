// Allowances of the account that is named as a call's trader, from the channel `account`.

import type { PushClient } from "../../../src/client/push.ts";
import { parseAddress } from "../../../src/model/address.ts";
import { AccountState } from "../account/account-state.ts";
import type { Trader } from "./approval.ts";

export class WatchedTrader {
  readonly #connection: Pick<PushClient, "subscribe">;
  readonly #changed: () => void;
  #watched:
    | { readonly address: string; readonly state: AccountState; readonly end: () => void }
    | undefined;
  #refusal: string | undefined;

  constructor(connection: Pick<PushClient, "subscribe">, changed: () => void) {
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
    this.#refusal = undefined;
    if (address === undefined || parseAddress(address) === undefined) return;
    const state = new AccountState();
    const end = this.#connection.subscribe(
      { channel: "account", address },
      {
        message: (message) => {
          this.#refusal = undefined;
          state.received(message);
          this.#changed();
        },
        // More accounts than a connection may watch: what they have approved stays unknown.
        refused: (error) => {
          this.#refusal = error;
          this.#changed();
        },
      },
    );
    this.#watched = { address, state, end };
  }

  /**
   * Why no call with an approval may be sent yet; undefined where one may. An approval sets the allowance: made
   * without what the account's orders sell, it would take away what stands behind them.
   */
  get problem(): string | undefined {
    if (this.#refusal !== undefined) {
      return `The account's orders and approvals are not known, so nothing is sent: ${this.#refusal}`;
    }
    return this.state?.loaded === true
      ? undefined
      : "Nothing is sent before the account's orders and approvals are loaded.";
  }

  /** The same for a call that approves what it costs itself alone. */
  problemSelling(token: string): string | undefined {
    if (this.problem !== undefined) return this.problem;
    const trader = this.of(token);
    if (trader.kind === "known" && trader.held !== undefined) return undefined;
    const orders = [...(this.state?.orders.values() ?? [])];
    return orders.some(({ selling }) => selling === token)
      ? "Nothing is sent before what stands behind the account's orders is loaded."
      : undefined;
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
