// Simulation of custom tokens: read-only calls of the token interface (SEP-41), run by the RPC's
// simulateTransaction as of its newest ledger.
import {
  Account,
  Contract,
  Address as SdkAddress,
  StrKey,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk/base";
import type { Address } from "../model/address.ts";
import { isRecord, RpcError, type RpcLimits } from "./json-rpc.ts";
import type { Timer } from "./ledger-source.ts";
import { parseInteger } from "./rpc-answers.ts";
import { readI128, type ScValue } from "./sc-value.ts";
import type { SourceSet } from "./source-set.ts";
import { scValueOf } from "./value-reader.ts";

/** In base64; the network lets a call return 16,384 bytes (contract.md). Reading one holds the main thread. */
const VALUE_TEXT_MAX = 65_536;
/** A simulation answers with events and footprints, which a contract can make large. */
const SIMULATE_LIMITS: RpcLimits = { timeoutMs: 10_000, idleMs: 6_000, bytesMax: 4 << 20 };
/** The source of a call that is only simulated need not exist. */
const NOBODY = StrKey.encodeEd25519PublicKey(new Uint8Array(32));

/** Base units. `ledger`: the one both are of, or the older one. */
export type SimulatedHolding = {
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly ledger: number;
  readonly source: number;
};

type Simulated = { readonly amount: bigint; readonly ledger: number };

/** The host's own text for a failure of the call itself, and not of the server that ran it. */
const HOST_ERROR = /HostError: Error\((\w+), (#?\w+)\)/;

export type TokenSimulatorOptions = {
  readonly set: SourceSet;
  readonly timer: Timer;
  readonly passphrase: string;
  /** The exchange: whose allowance is asked for. */
  readonly spender: Address;
  readonly signal: AbortSignal;
};

export class TokenSimulator {
  readonly #options: TokenSimulatorOptions;

  constructor(options: TokenSimulatorOptions) {
    this.#options = options;
  }

  /**
   * What `owner` holds and lets the exchange take, as of ledger `from` or a later one. A call that the
   * token itself fails gives 0: the exchange, asking the same, would find nothing to take either.
   * Throws RpcError.
   */
  async read(owner: Address, token: Address, from = 0): Promise<SimulatedHolding> {
    const { set, timer, signal } = this.#options;
    const contract = new Contract(token);
    const holder = new SdkAddress(owner).toScVal();
    const spender = new SdkAddress(this.#options.spender).toScVal();
    await timer.sleep(set.restMs("simulations"), signal);
    const source = set.pick("simulations");
    try {
      const balance = await this.#amountOf(source, contract.call("balance", holder), from);
      const allowance = await this.#amountOf(
        source,
        contract.call("allowance", holder, spender),
        from,
      );
      set.follow("simulations", source);
      return {
        balance: balance.amount,
        allowance: allowance.amount,
        ledger: Math.min(balance.ledger, allowance.ledger),
        source,
      };
    } catch (thrown) {
      // What a server does not run another may.
      if (isOfAnswer(thrown)) set.reject(source, "simulations");
      throw thrown;
    }
  }

  async #amountOf(source: number, call: xdr.Operation, from: number): Promise<Simulated> {
    const { set, passphrase, signal } = this.#options;
    const builder = new TransactionBuilder(new Account(NOBODY, "0"), {
      fee: "100",
      networkPassphrase: passphrase,
    });
    const transaction = builder.addOperation(call).setTimeout(0).build().toXDR();
    const { result } = await set.call(
      "simulations",
      "simulateTransaction",
      { transaction },
      SIMULATE_LIMITS,
      signal,
      source,
    );
    const simulated = parseSimulation(result);
    if (simulated.ledger >= from) return simulated;
    const name = set.nameOf(source);
    throw new RpcError("stale", `${name}: simulated as of ${simulated.ledger}, before ${from}`);
  }
}

/** The source answered with something else than the result; any other failure has backed off already. */
function isOfAnswer(thrown: unknown): boolean {
  if (!(thrown instanceof RpcError)) return true;
  const { failure } = thrown;
  return failure === "refused" || failure === "garbage" || failure === "stale";
}

/** Throws RpcError `garbage` where the answer is none. A value that is no amount counts as 0. */
function parseSimulation(answer: unknown): Simulated {
  const { value, ledger } = parseSimulated(answer);
  return { amount: readI128(value) ?? 0n, ledger };
}

/**
 * What a real answer to simulateTransaction says: undefined where the call failed of itself. Throws
 * RpcError `refused` where the server did not run it, `garbage` where the answer is none.
 */
export function parseSimulated(result: unknown): {
  readonly value: ScValue | undefined;
  readonly ledger: number;
} {
  if (!isRecord(result)) {
    throw new RpcError("garbage", "the answer to simulateTransaction is none");
  }
  const ledger = parseInteger(result.latestLedger, "latestLedger");
  if (typeof result.error === "string") {
    if (isOwnFailure(result.error)) return { value: undefined, ledger };
    throw new RpcError("refused", `simulateTransaction: ${result.error.slice(0, 500)}`);
  }
  const [first] = Array.isArray(result.results) ? result.results : [];
  if (!isRecord(first) || typeof first.xdr !== "string") {
    throw new RpcError("garbage", "the answer to simulateTransaction holds no value");
  }
  if (first.xdr.length > VALUE_TEXT_MAX) {
    throw new RpcError("garbage", "the answer to simulateTransaction holds too large a value");
  }
  try {
    return { value: scValueOf(xdr.ScVal.fromXdr(first.xdr, "base64")), ledger };
  } catch (cause) {
    throw new RpcError("garbage", "a simulated value is no XDR", { cause });
  }
}

/**
 * Whether the call would fail on the chain too. The host's first error counts, before whatever texts of
 * contracts follow it; its internal errors are those of a server that cannot read its state.
 */
function isOwnFailure(error: string): boolean {
  const [, type, code] = HOST_ERROR.exec(error) ?? [];
  return type !== undefined && code !== "InternalError";
}
