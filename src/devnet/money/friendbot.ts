// Friendbot: funds any account that asks with lumens, as on the public test networks.
import { type Address, isContract, parseAddress } from "../../model/address.ts";
import type { TransactionIntent } from "../intent.ts";
import { NATIVE } from "../ledger/asset.ts";
import { accountIn } from "../ledger/state.ts";
import { type MoneyAnswer, paid, refused, type Treasury } from "./treasury.ts";

/** Stroops: 10,000 XLM, as on the public test networks. */
const STARTING_BALANCE = 100_000_000_000n;

export class Friendbot {
  readonly #treasury: Treasury;
  /** Accounts that are being funded: a second request waits for the first. */
  readonly #funding = new Map<Address, Promise<unknown>>();

  constructor(treasury: Treasury) {
    this.#treasury = treasury;
  }

  async fund(addr: string | undefined): Promise<MoneyAnswer> {
    const account = parseAddress(addr ?? "");
    if (account === undefined) return refused("addr must be an account address (G...)", "addr");
    if (isContract(account)) {
      return refused("contract addresses are not funded: addr must be an account (G...)", "addr");
    }
    for (let running = this.#funding.get(account); running !== undefined; ) {
      await running;
      running = this.#funding.get(account);
    }
    const intent = this.#intentFor(account);
    if (intent === undefined) return refused("account already funded to starting balance");
    const applied = this.#treasury.apply([intent]);
    this.#funding.set(account, applied);
    try {
      return paid((await applied)[0]);
    } finally {
      this.#funding.delete(account);
    }
  }

  /** Undefined where the account has enough. */
  #intentFor(account: Address): TransactionIntent | undefined {
    const { root, entries } = this.#treasury;
    const amount = STARTING_BALANCE;
    const entry = accountIn(entries, account);
    if (entry === undefined) return { kind: "createAccount", source: root, account, amount };
    if (entry.balance >= STARTING_BALANCE) return undefined;
    return { kind: "payment", source: root, to: account, asset: NATIVE, amount };
  }
}
