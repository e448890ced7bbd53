// Which ledger entries decide what stands behind an owner in a token.
import { type Address, isContract } from "../../model/address.ts";
import { KeyTemplate } from "./key-template.ts";
import { accountKey, allowanceKey, balanceKey, instanceKey, trustlineKey } from "./ledger-keys.ts";
import type { Token } from "./token.ts";

export type RecordKeys = {
  /** The owner's account, trustline or contract balance; absent for an issuer's own token. */
  readonly holding?: string;
  readonly allowance: string;
  /** The issuer's account, whose flags decide for a contract without a balance entry. */
  readonly issuer?: string;
};

/** What is the same for all owners of a token: bounded by the tokens traded. */
type TokenKeys = {
  readonly instance: string;
  readonly balances: KeyTemplate;
  readonly allowances: KeyTemplate;
};

/** Builds keys (base64 XDR), with those of tokens kept. */
export class RecordKeyBuilder {
  readonly #spender: Address;
  readonly #tokens = new Map<Address, TokenKeys>();
  readonly #trustlines = new Map<string, KeyTemplate>();
  readonly #accounts = new KeyTemplate(accountKey);

  /** `spender`: whose allowances count. */
  constructor(spender: Address) {
    this.#spender = spender;
  }

  instance(asset: Address): string {
    return this.#keysOf(asset).instance;
  }

  /** Undefined where the token is a custom one (no SAC). */
  record(owner: Address, asset: Address, token: Token): RecordKeys | undefined {
    if (token.kind === "other") return undefined;
    const { allowances, balances } = this.#keysOf(asset);
    const allowance = allowances.keyOf(owner);
    if (isContract(owner)) {
      const holding = balances.keyOf(owner);
      return token.kind === "native"
        ? { holding, allowance }
        : { holding, allowance, issuer: this.#accounts.keyOf(token.issuer) };
    }
    if (token.kind === "native") return { holding: this.#accounts.keyOf(owner), allowance };
    if (token.issuer === owner) return { allowance };
    return { holding: this.#trustlinesOf(token).keyOf(owner), allowance };
  }

  #keysOf(asset: Address): TokenKeys {
    const present = this.#tokens.get(asset);
    if (present !== undefined) return present;
    const keys = {
      instance: instanceKey(asset),
      balances: new KeyTemplate((owner) => balanceKey(asset, owner)),
      allowances: new KeyTemplate((owner) => allowanceKey(asset, owner, this.#spender)),
    };
    this.#tokens.set(asset, keys);
    return keys;
  }

  #trustlinesOf(asset: { readonly code: string; readonly issuer: Address }): KeyTemplate {
    const name = `${asset.code}:${asset.issuer}`;
    const present = this.#trustlines.get(name);
    if (present !== undefined) return present;
    const template = new KeyTemplate((owner) => trustlineKey(owner, asset));
    this.#trustlines.set(name, template);
    return template;
  }
}
