// A network without ledgers for tests of the traffic and of the contract model under it: intents
// act on the in-memory host. Classic operations are cut down to what moves balances; there are no
// fees and no reserves.
import { createHash } from "node:crypto";
import { argument, asAddress, asBool, asI128 } from "../../../src/devnet/contract/arguments.ts";
import { exchange } from "../../../src/devnet/contract/exchange.ts";
import type { CallOutcome } from "../../../src/devnet/contract/host.ts";
import { oracleContract } from "../../../src/devnet/contract/oracle.ts";
import { router } from "../../../src/devnet/contract/router.ts";
import { VOID } from "../../../src/devnet/contract/value.ts";
import type { TransactionIntent } from "../../../src/devnet/intent.ts";
import type { ClassicAsset } from "../../../src/devnet/ledger/asset.ts";
import type { Offer } from "../../../src/devnet/order-index.ts";
import type { Cast } from "../../../src/devnet/traffic/cast.ts";
import { Traffic } from "../../../src/devnet/traffic/traffic.ts";
import type { ChainView } from "../../../src/devnet/traffic/view.ts";
import type { NetworkAddresses } from "../../../src/devnet/traffic/world.ts";
import { type Address, contractAddress, isContract } from "../../../src/model/address.ts";
import { type MemoryContract, MemoryWorld } from "./memory-host.ts";
import { allowanceKey, type Holding, MemoryToken } from "./memory-token.ts";

function contractNamed(name: string): Address {
  return contractAddress(createHash("sha256").update(name).digest());
}

const ROOT: Address = contractNamed("root");

export type Applied = { readonly intent: TransactionIntent; readonly outcome: CallOutcome };

/** Close times are `LEDGER_SECONDS` apart. */
const LEDGER_SECONDS = 5;
const DONE: CallOutcome = { ok: true, value: VOID };
const SHORT: CallOutcome = { ok: false, error: { kind: "budget", message: "short" } };
const REFUSED: CallOutcome = { ok: false, error: { kind: "invalid", message: "refused" } };

export class MemoryNetwork {
  readonly world: MemoryWorld;
  readonly traffic: Traffic;
  readonly tokens = new Map<Address, MemoryToken>();
  readonly addresses: NetworkAddresses;
  readonly #makers: ReadonlySet<Address>;

  constructor(cast: Cast, startSeconds: number, freezes = true) {
    this.world = new MemoryWorld(startSeconds, 1);
    const tokenOf = (asset: ClassicAsset): Address =>
      contractNamed(asset.kind === "native" ? "native" : `${asset.code}:${asset.issuer}`);
    this.addresses = {
      exchange: contractNamed("exchange"),
      router: contractNamed("router"),
      oracle: contractNamed("oracle"),
      root: ROOT,
      plainToken: contractNamed("plain"),
      tokenOf,
    };
    this.#makers = new Set([...cast.makers, this.addresses.router]);
    this.traffic = new Traffic({ cast, addresses: this.addresses, firstLedger: 2, freezes });
    for (const { token } of this.traffic.world.assets) this.#deployToken(token);
    const { contracts, instances } = this.world;
    contracts.set(this.addresses.exchange, exchange);
    contracts.set(this.addresses.router, router);
    contracts.set(
      this.addresses.oracle,
      oracleContract({
        priceAt: (asset, now) => this.traffic.oraclePriceAt(asset, now),
        feeToken: tokenOf({ kind: "native" }),
        dailyFee: 1_000_000n,
      }),
    );
    instances.set(this.addresses.exchange, { frozen: false, config: this.traffic.config });
  }

  /** Closes the next ledger with the traffic's transactions. */
  close(): readonly Applied[] {
    this.world.ledger += 1;
    this.world.now += LEDGER_SECONDS;
    const intents = this.traffic.intents(this.view());
    return intents.map((intent) => ({ intent, outcome: this.#apply(intent) }));
  }

  holding(token: Address, holder: Address): Holding | undefined {
    return this.tokens.get(token)?.holdings.get(holder);
  }

  /** The chain as the traffic sees it. */
  view(): ChainView {
    const { world, addresses } = this;
    const others = new Map<string, Offer[]>();
    for (const [id, entry] of world.orders) {
      if (this.#makers.has(entry.owner)) continue;
      const pair = `${entry.selling}${entry.buying}`;
      const offers = others.get(pair);
      if (offers === undefined) others.set(pair, [{ id, entry }]);
      else offers.push({ id, entry });
    }
    return {
      ledger: world.ledger,
      now: world.now,
      order: (id) => world.orders.get(id),
      allowance: (token, owner) => {
        const key = allowanceKey({ owner, spender: addresses.exchange });
        const allowance = this.tokens.get(token)?.allowances.get(key);
        return allowance === undefined || allowance.liveUntil < world.ledger
          ? 0n
          : allowance.amount;
      },
      offers: () => [],
      balance: (token, holder) => this.holding(token, holder)?.balance ?? 0n,
      canReceive: (token, holder) => this.holding(token, holder)?.authorized ?? isContract(holder),
      otherOrders: (selling, buying) => others.get(`${selling}${buying}`) ?? [],
    };
  }

  #deployToken(address: Address): void {
    const token = new MemoryToken();
    this.tokens.set(address, token);
    const issuers = new Set(this.traffic.world.cast.issuers);
    const model: MemoryContract = (frame, fn, args) => {
      const [from, ...received] = args;
      if (fn === "transfer" && from?.type === "address" && issuers.has(from.value)) {
        return model(frame, "mint", received);
      }
      if (fn !== "mint" && fn !== "set_authorized") return token.model(frame, fn, args);
      const holder = asAddress(argument(args, 0));
      const holding = token.holdings.get(holder) ?? emptyHolding();
      if (fn === "mint") {
        const balance = holding.balance + asI128(argument(args, 1));
        frame.world.write(token.holdings, holder, { ...holding, balance });
      } else {
        const authorized = asBool(argument(args, 1));
        frame.world.write(token.holdings, holder, { ...holding, authorized });
      }
      return VOID;
    };
    this.world.contracts.set(address, model);
  }

  #apply(intent: TransactionIntent): CallOutcome {
    switch (intent.kind) {
      case "call": {
        const { source, signers, contract, fn, args, shortOf } = intent;
        if (shortOf !== undefined) return SHORT;
        return this.world.invoke([source, ...(signers ?? [])], contract, fn, args);
      }
      case "approve": {
        const { source: owner, amount, liveUntil } = intent;
        const key = allowanceKey({ owner, spender: this.addresses.exchange });
        this.tokens.get(intent.token)?.allowances.set(key, { amount, liveUntil });
        return DONE;
      }
      case "createAccount":
        return this.#credit({ kind: "native" }, intent.account, intent.amount);
      case "payment": {
        const { asset, source, to, amount } = intent;
        if (this.#debit(asset, source, amount) === REFUSED) return REFUSED;
        const credited = this.#credit(asset, to, amount);
        if (credited === REFUSED) this.#credit(asset, source, amount);
        return credited;
      }
      case "changeTrust":
        return this.#changeTrust(intent.asset, intent.source, intent.limit);
      case "setTrustLineFlags": {
        const authorized = (intent.setFlags & 1) === 1;
        return this.#edit(intent.asset, intent.trustor, (holding) => ({ ...holding, authorized }));
      }
      case "clawback":
        return this.#debit(intent.asset, intent.from, intent.amount);
      case "manageOffer":
      case "setOptions":
      case "upgradeBaseReserve":
        return DONE;
    }
  }

  #edit(
    asset: ClassicAsset,
    holder: Address,
    change: (holding: Holding) => Holding | undefined,
  ): CallOutcome {
    const holdings = this.tokens.get(this.addresses.tokenOf(asset))?.holdings;
    const before = holdings?.get(holder);
    const after = before === undefined ? undefined : change(before);
    if (after === undefined) return REFUSED;
    holdings?.set(holder, after);
    return DONE;
  }

  #credit(asset: ClassicAsset, to: Address, amount: bigint): CallOutcome {
    if (asset.kind === "issued" && asset.issuer === to) return DONE;
    const holdings = this.tokens.get(this.addresses.tokenOf(asset))?.holdings;
    if (asset.kind === "native" && holdings?.get(to) === undefined) {
      holdings?.set(to, emptyHolding());
    }
    return this.#edit(asset, to, (holding) => {
      const balance = holding.balance + amount;
      const room = holding.limit === undefined || balance <= holding.limit;
      return holding.authorized && room ? { ...holding, balance } : undefined;
    });
  }

  #debit(asset: ClassicAsset, from: Address, amount: bigint): CallOutcome {
    if (asset.kind === "issued" && asset.issuer === from) return DONE;
    return this.#edit(asset, from, (holding) =>
      holding.balance < amount ? undefined : { ...holding, balance: holding.balance - amount },
    );
  }

  #changeTrust(asset: ClassicAsset, holder: Address, limit: bigint): CallOutcome {
    const holdings = this.tokens.get(this.addresses.tokenOf(asset))?.holdings;
    const holding = holdings?.get(holder) ?? emptyHolding();
    if (limit < holding.balance || isContract(holder)) return REFUSED;
    if (limit === 0n) holdings?.delete(holder);
    else holdings?.set(holder, { ...holding, limit });
    return DONE;
  }
}

function emptyHolding(): Holding {
  return { balance: 0n, authorized: true, sellingLiabilities: 0n };
}

/** For reports: what became of an intent, `ok` or the error in short. */
export function outcomeName(outcome: CallOutcome): string {
  if (outcome.ok) return "ok";
  return outcome.error.kind === "contract" ? String(outcome.error.code) : outcome.error.kind;
}
