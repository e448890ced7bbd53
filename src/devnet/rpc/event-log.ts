// The event log that a host appends to an error message: diagnostic events as text, newest first.
import { ContractEvent, type ContractEventWire, type ScValWire } from "@stellar/stellar-sdk/xdr";
import { contractAddress } from "../../model/address.ts";
import { type Diagnostic, errorName } from "../ledger/event.ts";
import { addressFromWire } from "../ledger/sc-val.ts";
import { xdrBytes } from "../ledger/xdr-writer.ts";

/** Guess: more than is read. The events themselves stand in full beside the error. */
const EVENTS_MAX = 32;
/** Of one value's text. */
const TEXT_MAX = 400;

export function eventLog(diagnostics: readonly Diagnostic[]): string {
  const newest = diagnostics.slice(-EVENTS_MAX).reverse();
  const lines = newest.map(({ event }, at) => {
    const wire = ContractEvent.schema.decode(xdrBytes(event));
    return `${String(at).padStart(4)}: ${eventText(wire)}`;
  });
  return `Event log (newest first):\n${lines.join("\n")}\n`;
}

/** ContractEventType: contract events come in between the diagnostic ones. */
const DIAGNOSTIC = 2;

function eventText({ type, contractId, body }: ContractEventWire): string {
  const kind = type === DIAGNOSTIC ? "Diagnostic" : "Contract";
  const contract = contractId === null ? "" : ` contract:${contractAddress(contractId)},`;
  const topics = body.v0.topics.map(valueText).join(", ");
  return `[${kind} Event]${contract} topics:[${topics}], data:${valueText(body.v0.data)}`;
}

function valueText(value: ScValWire): string {
  const text = textOf(value);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

function textOf(value: ScValWire): string {
  if (value.type === 0) return String(value.b);
  if (value.type === 1) return "Void";
  if (value.type === 2) return errorName(value.error);
  if (value.type === 3) return String(value.u32);
  if (value.type === 5) return String(value.u64);
  if (value.type === 6) return String(value.i64);
  if (value.type === 9) return String((value.u128.hi << 64n) | value.u128.lo);
  if (value.type === 10) return String((value.i128.hi << 64n) | value.i128.lo);
  if (value.type === 13) return `Bytes(${Buffer.from(value.bytes).toString("hex")})`;
  if (value.type === 14) return JSON.stringify(value.str.toString());
  if (value.type === 15) return value.sym.toString();
  if (value.type === 16) return `[${(value.vec ?? []).map(valueText).join(", ")}]`;
  if (value.type === 17) {
    const fields = (value.map ?? []).map(({ key, val }) => `${valueText(key)}: ${valueText(val)}`);
    return `{${fields.join(", ")}}`;
  }
  if (value.type === 18 && value.address.type <= 1) return addressFromWire(value.address);
  return `ScVal(${value.type})`;
}
