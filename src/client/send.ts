// Sends transactions: simulates contract calls, has them signed, sends them and waits for their ledger.
import {
  Account,
  BASE_FEE,
  type rpc as Rpc,
  rpc,
  scValToNative,
  Transaction,
  TransactionBuilder,
  type xdr,
} from "@stellar/stellar-sdk";
import type { Signer } from "@stellar/stellar-sdk/contract";
import type { ContractCall } from "./call.ts";
import { callOperation } from "./call-operation.ts";
import { errorCode, errorWords, hostErrorWords } from "./error-words.ts";

/** Inclusion fee in stroops unless said otherwise: the least that a network takes. */
const FEE = Number(BASE_FEE);
/** How long a transaction may wait for its ledger, unless said otherwise (choice). */
const TIMEOUT_SECONDS = 60;
/** Between two questions for a transaction (as the SDK does). */
const POLL_MS = 1_000;
/** A transaction that another one of the account keeps waiting is made anew so often, and no more. */
const TRIES_MAX = 8;
const TRY_WAIT_MS_MAX = 5 * POLL_MS;
/** A server that answers no question about the transaction for this long after its time is given up. */
const GRACE_MS = 60_000;
/** Simulations of an account's call need no account, those of a contract's none of its own. */
const NOBODY = "GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF";

/** Where calls go. */
export type Network = {
  readonly server: Rpc.Server;
  readonly passphrase: string;
  /** The exchange, as GET /contract answers it. */
  readonly contract: string;
};

export type SendOptions = {
  /** Most stroops per operation for inclusion; a contract call's resources are paid on top. */
  readonly fee?: number;
  /** Seconds after which the transaction can no longer be applied. */
  readonly timeoutSeconds?: number;
  /** Milliseconds between two questions for its result: less than a second where ledgers are faster. */
  readonly pollMs?: number;
  /** Each step as it was done; from the first again where the transaction had to be made anew. */
  readonly progress?: (step: SendStep) => void;
};

/** `resourceFee`: stroops at most. `xdr`: the envelope, base64. */
export type SendStep =
  | { readonly step: "simulated"; readonly resourceFee: bigint; readonly value: unknown }
  | { readonly step: "signed"; readonly hash: string; readonly xdr: string }
  | { readonly step: "sent"; readonly hash: string };

export type Sent = {
  readonly hash: string;
  readonly ledger: number;
  /** What the call returned, as the SDK's `scValToNative` gives it; undefined for classic operations. */
  readonly value: unknown;
};

/**
 * A transaction that came to nothing. `simulation`: the call fails as things are, nothing was sent. `refused`:
 * not taken by the network, nothing was charged. `failed`: in a ledger, its fee was charged. `expired`: it
 * was sent, no ledger has it, and none will. `unknown`: the RPC no longer answers, it may still be applied.
 */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly kind: "simulation" | "refused" | "failed" | "expired" | "unknown";
  /** Of the exchange (701 to 740) or a token (1 to 15), where one ended the call. */
  readonly code: number | undefined;
  readonly hash: string | undefined;

  constructor(
    kind: SendError["kind"],
    message: string,
    more: { code?: number; hash?: string } = {},
  ) {
    super(message);
    this.kind = kind;
    this.code = more.code;
    this.hash = more.hash;
  }
}

/**
 * What the call would return on the latest ledger. `resourceFee`: stroops it would be charged for at most.
 * Rejects with a SendError of kind `simulation` where it fails, or as the SDK's RPC client does.
 */
export async function simulateCall(
  { server, passphrase, contract }: Network,
  call: ContractCall,
): Promise<{ readonly value: unknown; readonly resourceFee: bigint }> {
  const { trader } = call.args;
  const source = new Account(trader.startsWith("G") ? trader : NOBODY, "0");
  const transaction = build(source, passphrase, [callOperation(contract, call)], {});
  const simulated = await simulate(server, transaction);
  return {
    value: nativeOf(simulated.result?.retval),
    resourceFee: BigInt(simulated.minResourceFee),
  };
}

/**
 * Simulates the call, has it signed, sends it and waits until it is in a ledger. `signer.address` is the trader: a
 * `KeypairSigner` of the SDK, or a wallet with its address. Rejects with a SendError, or as signer and RPC client do.
 */
export function sendCall(
  network: Network,
  signer: Signer,
  call: ContractCall,
  options: SendOptions = {},
): Promise<Sent> {
  return sendOperations(network, signer, [callOperation(network.contract, call)], options);
}

/** The same with any operations: one contract call, or up to 100 classic operations. */
export async function sendOperations(
  { server, passphrase }: Pick<Network, "server" | "passphrase">,
  signer: Signer,
  operations: readonly xdr.Operation[],
  options: SendOptions = {},
): Promise<Sent> {
  const { pollMs = POLL_MS, progress } = options;
  for (let attempt = 1; ; attempt += 1) {
    const account = await server.getAccount(signer.address);
    let transaction = build(account, passphrase, operations, options);
    if (isContractCall(transaction)) {
      const simulated = await simulate(server, transaction);
      transaction = rpc.assembleTransaction(transaction, simulated).build();
      const resourceFee = BigInt(simulated.minResourceFee);
      progress?.({ step: "simulated", resourceFee, value: nativeOf(simulated.result?.retval) });
    }
    const signed = await sign(signer, transaction, passphrase);
    progress?.({ step: "signed", hash: hexOf(signed.hash()), xdr: signed.toXDR() });
    const answer = await server.sendTransaction(signed);
    if (answer.status === "PENDING" || answer.status === "DUPLICATE") {
      progress?.({ step: "sent", hash: answer.hash });
      return await result(server, answer.hash, signed, pollMs);
    }
    const code = answer.errorResult?.result.type;
    // Another transaction of the account waits or has just been applied: the next one fits again.
    const isPassing = answer.status === "TRY_AGAIN_LATER" || code === "txBadSeq";
    if (!isPassing || attempt === TRIES_MAX) {
      throw new SendError("refused", `the network refused it: ${code ?? answer.status}`, {
        hash: answer.hash,
      });
    }
    await pause(Math.min(pollMs * 2 ** (attempt - 1), TRY_WAIT_MS_MAX));
  }
}

function build(
  source: Account,
  networkPassphrase: string,
  operations: readonly xdr.Operation[],
  { fee = FEE, timeoutSeconds = TIMEOUT_SECONDS }: SendOptions,
): Transaction {
  const builder = new TransactionBuilder(source, { fee: String(fee), networkPassphrase });
  for (const operation of operations) builder.addOperation(operation);
  return builder.setTimeout(timeoutSeconds).build();
}

function isContractCall({ operations }: Transaction): boolean {
  return operations[0]?.type === "invokeHostFunction";
}

async function simulate(
  server: Rpc.Server,
  transaction: Transaction,
): Promise<Rpc.Api.SimulateTransactionSuccessResponse> {
  const simulated = await server.simulateTransaction(transaction);
  if (!rpc.Api.isSimulationError(simulated)) return simulated;
  const code = errorCode(simulated.error);
  throw new SendError(
    "simulation",
    hostErrorWords(simulated.error),
    code === undefined ? {} : { code },
  );
}

async function sign(
  signer: Signer,
  transaction: Transaction,
  networkPassphrase: string,
): Promise<Transaction> {
  const { address } = signer;
  const answer = await signer.signTransaction(transaction.toXDR(), { networkPassphrase, address });
  if (answer.error !== undefined) {
    throw new SendError("refused", `the signer refused it: ${answer.error.message}`);
  }
  return new Transaction(answer.signedTxXdr, networkPassphrase);
}

async function result(
  server: Rpc.Server,
  hash: string,
  { timeBounds }: Transaction,
  pollMs: number,
): Promise<Sent> {
  const maxTime = Number(timeBounds?.maxTime ?? 0);
  const giveUpAt = maxTime * 1000 + GRACE_MS;
  for (;;) {
    const found = await server.getTransaction(hash);
    if (found.status === "SUCCESS") {
      return { hash, ledger: found.ledger, value: nativeOf(found.returnValue) };
    }
    if (found.status === "FAILED") throw failed(hash, found);
    // Nothing in a ledger that closed after its time, so nothing in any later one.
    if (Number(found.latestLedgerCloseTime) > maxTime) {
      throw new SendError("expired", "no ledger took it in time", { hash });
    }
    if (Date.now() > giveUpAt) {
      throw new SendError("unknown", "the RPC stands still: it may still be applied", { hash });
    }
    await pause(pollMs);
  }
}

/** In the words of the contract error that ended the call, or of the transaction's result. */
function failed(hash: string, found: Rpc.Api.GetFailedTransactionResponse): SendError {
  const code = (found.diagnosticEventsXdr ?? [])
    .flatMap(({ event }) => event.body.value.topics)
    .flatMap((topic) =>
      topic.type === "scvError" && topic.value.type === "sceContract" ? topic.value.value : [],
    )
    .at(-1);
  if (code !== undefined) return new SendError("failed", errorWords(code), { code, hash });
  return new SendError("failed", `the transaction failed: ${found.resultXdr.result.type}`, {
    hash,
  });
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function nativeOf(value: xdr.ScVal | undefined): unknown {
  return value === undefined ? undefined : scValToNative(value);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
