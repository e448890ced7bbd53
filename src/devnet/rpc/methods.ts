// The methods of Stellar RPC that the devnet serves (ledger.md, 1).
import { hex } from "../ledger/hash.ts";
import { getEvents } from "./get-events.ts";
import { getFeeStats } from "./get-fee-stats.ts";
import { getLedgerEntries } from "./get-ledger-entries.ts";
import { getLedgers, servedRange } from "./get-ledgers.ts";
import { getTransaction, getTransactions } from "./get-transaction.ts";
import type { Params } from "./params.ts";
import { RpcCode, RpcError } from "./rpc-error.ts";
import { sendTransaction } from "./send-transaction.ts";
import { simulateTransaction } from "./simulate.ts";
import type { RpcSource } from "./source.ts";

export type MethodContext = {
  readonly source: RpcSource;
  /** As the client named this server. */
  readonly host: string | undefined;
};

const METHODS = new Map<string, (context: MethodContext, params: Params) => unknown>([
  ["getLatestLedger", ({ source }) => getLatestLedger(source)],
  ["getHealth", ({ source }) => getHealth(source)],
  ["getNetwork", ({ source, host }) => getNetwork(source, host)],
  ["getLedgerEntries", ({ source }, params) => getLedgerEntries(source, params)],
  ["getEvents", ({ source }, params) => getEvents(source, params)],
  ["getFeeStats", ({ source }) => getFeeStats(source)],
  ["getVersionInfo", ({ source }) => getVersionInfo(source)],
  ["sendTransaction", ({ source }, params) => sendTransaction(source, params)],
  ["getTransaction", ({ source }, params) => getTransaction(source, params)],
  ["getTransactions", ({ source }, params) => getTransactions(source, params)],
  ["simulateTransaction", ({ source }, params) => simulateTransaction(source, params)],
]);

/** The JSON text of a result, in parts. Throws an RpcError before the first part, or never. */
export async function* runMethod(
  context: MethodContext,
  name: string,
  params: Params,
): AsyncGenerator<string> {
  if (name === "getLedgers") {
    yield* getLedgers(context.source, params);
    return;
  }
  const run = METHODS.get(name);
  if (run === undefined) throw new RpcError(RpcCode.methodNotFound, "method not found");
  yield JSON.stringify(await run(context, params));
}

/** A name and perhaps a port, as clients can reach it; nothing else is taken over from a client. */
const HOST = /^[A-Za-z0-9.\-[\]:]{1,255}$/;

function getNetwork(source: RpcSource, host: string | undefined) {
  const friendbot = host !== undefined && HOST.test(host) ? `http://${host}` : source.url();
  return {
    friendbotUrl: `${friendbot}/friendbot`,
    passphrase: source.passphrase,
    protocolVersion: source.chain.tip.protocol,
  };
}

const HASH_BYTES = 32;
const EXT_BYTES = 4;

/** headerXdr is a plain LedgerHeader here, without the hash and the extension around it. */
function getLatestLedger(source: RpcSource) {
  const { latest } = servedRange(source);
  const xdr = source.ledgers.read(latest.ledger);
  if (xdr === undefined) throw new RpcError(RpcCode.internal, "could not get latest ledger");
  const header = xdr.header.subarray(HASH_BYTES, xdr.header.length - EXT_BYTES);
  return {
    id: hex(latest.hash),
    protocolVersion: source.chain.tip.protocol,
    sequence: latest.ledger,
    closeTime: String(latest.closeTime),
    headerXdr: header.toString("base64"),
    metadataXdr: xdr.meta.toString("base64"),
  };
}

/** Of what this is: no build of Stellar RPC or of a node is behind it. */
function getVersionInfo(source: RpcSource) {
  return {
    version: "hopbook devnet",
    commitHash: "",
    buildTimestamp: "",
    captiveCoreVersion: "none",
    protocolVersion: source.chain.tip.protocol,
  };
}

function getHealth(source: RpcSource) {
  const { oldest, latest } = servedRange(source);
  return {
    status: "healthy",
    latestLedger: latest.ledger,
    latestLedgerCloseTime: String(latest.closeTime),
    oldestLedger: oldest.ledger,
    oldestLedgerCloseTime: String(oldest.closeTime),
    ledgerRetentionWindow: source.retention,
  };
}
