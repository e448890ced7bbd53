// Friendbot and the faucet over HTTP: a query or a form, JSON back.
import { faucetAssets, payFromFaucet } from "../money/faucet.ts";
import { Friendbot } from "../money/friendbot.ts";
import { type MoneyAnswer, problem, type Treasury } from "../money/treasury.ts";

/** Requests that wait for their ledger at a time (decided). */
const WAITING_MAX = 32;

export class MoneyPort {
  readonly #treasury: Treasury;
  readonly #friendbot: Friendbot;
  #waiting = 0;

  constructor(treasury: Treasury) {
    this.#treasury = treasury;
    this.#friendbot = new Friendbot(treasury);
  }

  static serves(path: string): boolean {
    return path === "/friendbot" || path === "/faucet";
  }

  async answer(url: URL, body: string): Promise<MoneyAnswer> {
    const form = new URLSearchParams(body);
    const value = (name: string) => url.searchParams.get(name) ?? form.get(name) ?? undefined;
    const [addr, asset, amount] = [value("addr"), value("asset"), value("amount")];
    if (url.pathname === "/friendbot") return this.#bounded(() => this.#friendbot.fund(addr));
    if (addr === undefined && asset === undefined) return faucetAssets(this.#treasury);
    return this.#bounded(() => payFromFaucet(this.#treasury, { addr, asset, amount }));
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
