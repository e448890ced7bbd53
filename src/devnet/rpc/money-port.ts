// Friendbot and the faucet over HTTP: a query or a form, JSON back.
import { Faucet } from "../money/faucet.ts";
import { Friendbot } from "../money/friendbot.ts";
import { type MoneyAnswer, problem, type Treasury } from "../money/treasury.ts";

/** Requests that wait for their ledger at a time (decided). */
const WAITING_MAX = 32;

export class MoneyPort {
  readonly #treasury: () => Treasury | undefined;
  #known: { readonly treasury: Treasury; readonly friendbot: Friendbot } | undefined;
  #waiting = 0;

  /** Asked anew for each request: a reset network has another one, and none while it is reset. */
  constructor(treasury: () => Treasury | undefined) {
    this.#treasury = treasury;
  }

  static serves(path: string): boolean {
    return path === "/friendbot" || path === "/faucet";
  }

  async answer(url: URL, body: string): Promise<MoneyAnswer> {
    const form = new URLSearchParams(body);
    const value = (name: string) => url.searchParams.get(name) ?? form.get(name) ?? undefined;
    const treasury = this.#treasury();
    if (treasury === undefined) {
      return problem(503, "Service Unavailable", "the network begins anew: try again later");
    }
    const faucet = new Faucet(treasury);
    const [addr, asset, amount] = [value("addr"), value("asset"), value("amount")];
    if (url.pathname === "/friendbot")
      return this.#bounded(() => this.#friendbot(treasury).fund(addr));
    if (addr === undefined && asset === undefined) return faucet.assets;
    return this.#bounded(() =>
      faucet.pay({
        ...(addr === undefined ? {} : { addr }),
        ...(asset === undefined ? {} : { asset }),
        ...(amount === undefined ? {} : { amount }),
      }),
    );
  }

  #friendbot(treasury: Treasury): Friendbot {
    if (this.#known?.treasury !== treasury) {
      this.#known = { treasury, friendbot: new Friendbot(treasury) };
    }
    return this.#known.friendbot;
  }

  async #bounded(answer: () => Promise<MoneyAnswer>): Promise<MoneyAnswer> {
    if (this.#waiting >= WAITING_MAX) {
      const detail = `${WAITING_MAX} requests wait for their ledger already: try again later`;
      return problem(429, "Too Many Requests", detail);
    }
    this.#waiting += 1;
    try {
      return await answer();
    } finally {
      this.#waiting -= 1;
    }
  }
}
