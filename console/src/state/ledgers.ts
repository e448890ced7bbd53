// The engine's newest ledger, its rhythm, and the contract's state, from the channel `contract`.
import type { ContractState } from "../../../src/api/types.ts";
import type { ChannelMessage } from "../../../src/client/push.ts";
import type { Connection } from "../api/connection.ts";
import { Changes } from "../changes.ts";

/** Ledgers whose arrival is remembered. */
const ARRIVALS_MAX = 120;
/** Expected time between ledgers, where the contract does not say. */
const LEDGER_MS = 5_000;

export type Health =
  /** Never connected, or connected without a ledger yet. */
  | "starting"
  | "live"
  /** Connected, but no ledger came for much longer than one takes. */
  | "late"
  | "offline";

export class Ledgers {
  readonly changes = new Changes();
  ledger: number | undefined;
  contract: ContractState | undefined;
  /** `performance.now()` of ledgers as they came, oldest first. */
  readonly arrivals: number[] = [];
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.subscribe(
      { channel: "contract" },
      { message: (message, { isSnapshot }) => this.#received(message, isSnapshot) },
    );
  }

  /** Since the newest ledger came; undefined where none did on this connection. */
  ageMs(now: number): number | undefined {
    const last = this.arrivals.at(-1);
    return last === undefined ? undefined : now - last;
  }

  /** Mean time between the remembered arrivals; undefined below two. */
  intervalMs(): number | undefined {
    const first = this.arrivals[0];
    const last = this.arrivals.at(-1);
    if (first === undefined || last === undefined || this.arrivals.length < 2) return undefined;
    return (last - first) / (this.arrivals.length - 1);
  }

  health(now: number): Health {
    const { state } = this.#connection;
    if (state === "lost" || (state === "connecting" && this.#connection.openCount > 0)) {
      return "offline";
    }
    if (state === "connecting" || this.ledger === undefined) return "starting";
    const expected = (this.contract?.config?.ledgerTime ?? 0) * 1000 || LEDGER_MS;
    return (this.ageMs(now) ?? 0) > 4 * expected ? "late" : "live";
  }

  #received(message: ChannelMessage<"contract">, snapshot: boolean): void {
    if (message.type === "contract") this.contract = message.data;
    // The rhythm begins anew with a connection: in the time between nobody counted.
    if (snapshot) this.arrivals.length = 0;
    const ledger = "ledger" in message ? message.ledger : undefined;
    if (ledger !== undefined && (snapshot || ledger !== this.ledger)) {
      this.ledger = ledger;
      this.arrivals.push(performance.now());
      if (this.arrivals.length > ARRIVALS_MAX) this.arrivals.shift();
    }
    this.changes.tell();
  }
}
