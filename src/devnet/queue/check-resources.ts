// What a contract transaction may declare (core: checkSorobanResources): the first thing wrong with
// it, named with its value and limit as a node does.
import type { SorobanTransactionDataWire } from "@stellar/stellar-sdk/xdr";
import type { Diagnostic } from "../ledger/event.ts";
import { Limit, nonRefundableFee } from "../ledger/fee-rates.ts";
import { type EntryKey, isFootprintKey } from "../ledger/key.ts";
import { type Received, resourceFee } from "../ledger/received.ts";
import { declaredResources, readFootprint } from "../ledger/received-call.ts";
import { invalidDiagnostic, limitDiagnostic } from "./refusal.ts";

export function resourcesFault(
  received: Received,
  soroban: SorobanTransactionDataWire,
): Diagnostic | undefined {
  const footprint = readFootprint(soroban.resources.footprint);
  const declared = declaredResources(soroban.resources, footprint, received.bytes);
  const keys = [...footprint.readOnly, ...footprint.readWrite];
  const longest = Math.max(0, ...keys.map(({ length }) => length));
  const limits: readonly (readonly [string, number, number])[] = [
    ["transaction instructions resources exceed", declared.instructions, Limit.instructions],
    ["transaction byte-read resources exceed", declared.diskReadBytes, Limit.diskReadBytes],
    ["transaction byte-write resources exceed", declared.writeBytes, Limit.writeBytes],
    ["transaction entry-read resources exceed", declared.diskReadEntries, Limit.diskReadEntries],
    ["transaction entry-write resources exceed", declared.writeEntries, Limit.writeEntries],
    ["transaction footprint entries exceed", keys.length, Limit.footprintEntries],
    ["transaction footprint key exceeds", longest, Limit.keyBytes],
    ["total transaction size exceeds", declared.transactionBytes, Limit.transactionBytes],
  ];
  const exceeded = limits.find(([, value, limit]) => value > limit);
  if (exceeded !== undefined) {
    const [what, value, limit] = exceeded;
    return limitDiagnostic(`${what} network config limit`, value, limit);
  }
  return keysFault(keys) ?? feeFault(received, nonRefundableFee(declared));
}

function keysFault(keys: readonly EntryKey[]): Diagnostic | undefined {
  if (!keys.every(isFootprintKey)) {
    return invalidDiagnostic("transaction footprint contains an unsupported ledger key type");
  }
  if (new Set(keys).size === keys.length) return undefined;
  return invalidDiagnostic(
    "Found duplicate key in the Soroban footprint; every key across read-only and read-write " +
      "footprints has to be unique.",
  );
}

function feeFault(received: Received, least: bigint): Diagnostic | undefined {
  const fee = resourceFee(received);
  const whole = received.bump?.fee ?? received.fee;
  if (fee > whole || fee < 0n) {
    return limitDiagnostic(
      "transaction `sorobanData.resourceFee` is higher than the full transaction fee",
      fee < 0n ? 0n : fee,
      whole,
    );
  }
  if (fee >= least) return undefined;
  return limitDiagnostic(
    "transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee",
    fee,
    least,
  );
}
