// sendTransaction: checks a signed transaction and queues it for the next ledger.
import { DiagnosticEvent } from "@stellar/stellar-sdk/xdr";
import { hex } from "../ledger/hash.ts";
import { type Received, readEnvelope } from "../ledger/received.ts";
import { encode } from "../ledger/xdr-encoder.ts";
import { xdrBytes } from "../ledger/xdr-writer.ts";
import { refusalXdr } from "../queue/refusal.ts";
import { servedRange } from "./get-ledgers.ts";
import { decodeBase64, type Params, requireBase64Format, stringParam } from "./params.ts";
import { invalidParams } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";

export function sendTransaction(source: RpcSource, params: Params) {
  requireBase64Format(params);
  const received = receive(source, params);
  if (received === undefined) throw invalidParams("invalid_xdr");
  const { latest } = servedRange(source);
  const submission = source.submit(received);
  const answer = {
    status: submission.status,
    hash: hex(received.envelope.hash),
    latestLedger: latest.ledger,
    latestLedgerCloseTime: String(latest.closeTime),
  };
  if (submission.status !== "ERROR") return answer;
  const { refusal } = submission;
  const diagnostics = (refusal.diagnostics ?? []).map((one) =>
    xdrBytes(encode(DiagnosticEvent, one)).toString("base64"),
  );
  return {
    ...answer,
    errorResultXdr: Buffer.from(refusalXdr(refusal)).toString("base64"),
    ...(diagnostics.length === 0 ? {} : { diagnosticEventsXdr: diagnostics }),
  };
}

/** The transaction to send or to simulate; undefined where the bytes are none. */
export function receive(source: RpcSource, params: Params): Received | undefined {
  const xdr = decodeBase64(stringParam(params, "transaction") ?? "");
  if (xdr === undefined) return undefined;
  try {
    return readEnvelope(xdr, source.chain.networkId);
  } catch {
    // Whatever is wrong with the bytes, the answer is the one of Stellar RPC.
    return undefined;
  }
}
