// Values and events of contracts, read straight from XDR that a walk, or the SDK, found to be sound.
//
// Hot path: every event of the exchange, every followed entry of a contract. A few hundred
// nanoseconds an event, which the SDK takes tens of microseconds for.
import { ScAddress, ScVal } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../model/address.ts";
import { accountOf, contractOf } from "./address-cache.ts";
import type { HostDiagnostic, HostEvent, ScFault, ScMapItem, ScValue } from "./sc-value.ts";
import { compileWalker } from "./xdr/compile-walker.ts";

/** ScValType. */
const SCV_BOOL = 0;
const SCV_VOID = 1;
const SCV_ERROR = 2;
const SCV_U32 = 3;
const SCV_U64 = 5;
const SCV_U128 = 9;
const SCV_I128 = 10;
const SCV_BYTES = 13;
const SCV_STRING = 14;
const SCV_SYMBOL = 15;
const SCV_VEC = 16;
const SCV_MAP = 17;
const SCV_ADDRESS = 18;
const SCV_INSTANCE = 19;
const SCV_INSTANCE_KEY = 20;
/** ScAddressType. */
const ADDRESS_ACCOUNT = 0;
const ADDRESS_CONTRACT = 1;
/** ContractExecutableType. */
const EXECUTABLE_STELLAR_ASSET = 1;
/** ScErrorType and ScErrorCode. */
const SCE_CONTRACT = 0;
const SCE_STORAGE = 3;
const SCE_BUDGET = 7;
const SCE_AUTH = 9;
const SCEC_EXCEEDED_LIMIT = 5;
/** ContractEventType. */
const EVENT_TYPES = ["system", "contract", "diagnostic"] as const;

const VOID: ScValue = { kind: "void" };
const walkValue = compileWalker<object>(ScVal.schema, []);
const walkAddress = compileWalker<object>(ScAddress.schema, []);

export class ValueReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array, view: DataView) {
    this.#bytes = bytes;
    this.#view = view;
  }

  /** Of the ScVal at byte `from`. */
  value(from: number): ScValue {
    this.#at = from;
    return this.#value();
  }

  /** Of the ContractEvent at byte `from`. */
  event(from: number): HostEvent {
    this.#at = from;
    return this.#nextEvent();
  }

  /** Of the array of DiagnosticEvents at byte `from`. */
  diagnostics(from: number): readonly HostDiagnostic[] {
    this.#at = from;
    return this.#list(() => {
      const inSuccessfulCall = this.#word() !== 0;
      return { inSuccessfulCall, event: this.#nextEvent() };
    });
  }

  /** Key and value of the ContractDataEntry at byte `from`. */
  contractData(from: number): { readonly key: ScValue; readonly val: ScValue } {
    this.#at = from + 4; // The extension point.
    this.#address();
    const key = this.#value();
    this.#at += 4; // The durability.
    return { key, val: this.#value() };
  }

  #nextEvent(): HostEvent {
    this.#at += 4; // The extension point.
    const contract = this.#word() === 1 ? this.#contractId() : undefined;
    const type = EVENT_TYPES[this.#word()] ?? "system";
    this.#at += 4; // The body's version.
    const topics = this.#values();
    return { type, contract, topics, data: this.#value() };
  }

  #value(): ScValue {
    const view = this.#view;
    const at = this.#at;
    this.#at = at + 4;
    switch (view.getInt32(at)) {
      case SCV_BOOL:
        return { kind: "bool", value: this.#word() !== 0 };
      case SCV_VOID:
        return VOID;
      case SCV_ERROR:
        return { kind: "error", error: this.#fault() };
      case SCV_U32:
        return { kind: "u32", value: this.#word() };
      case SCV_U64:
        this.#at = at + 12;
        return { kind: "u64", value: view.getBigUint64(at + 4) };
      case SCV_U128:
        this.#at = at + 20;
        return { kind: "u128", value: joined(view.getBigUint64(at + 4), view, at + 12) };
      case SCV_I128:
        this.#at = at + 20;
        return { kind: "i128", value: joined(view.getBigInt64(at + 4), view, at + 12) };
      case SCV_BYTES:
        return { kind: "bytes", bytes: this.#opaque() };
      case SCV_STRING:
        return { kind: "string", text: textOf(this.#opaque()) };
      case SCV_SYMBOL:
        return { kind: "symbol", text: textOf(this.#opaque()) };
      case SCV_VEC:
        return { kind: "vec", items: this.#word() === 1 ? this.#values() : [] };
      case SCV_MAP:
        return { kind: "map", entries: this.#word() === 1 ? this.#items() : [] };
      case SCV_ADDRESS:
        return { kind: "address", address: this.#address() };
      case SCV_INSTANCE:
        return { kind: "instance", storage: this.#assetStorage(at) };
      case SCV_INSTANCE_KEY:
        return { kind: "instanceKey" };
      default:
        this.#at = walkValue(view, at, {});
        return { kind: "other" };
    }
  }

  #values(): readonly ScValue[] {
    return this.#list(() => this.#value());
  }

  #items(): readonly ScMapItem[] {
    return this.#list(() => ({ key: this.#value(), val: this.#value() }));
  }

  #list<T>(next: () => T): readonly T[] {
    const count = this.#word();
    const found: T[] = [];
    for (let index = 0; index < count; index += 1) found.push(next());
    return found;
  }

  /** Of the instance whose ScVal begins at byte `from`, where it is a Stellar Asset Contract. */
  #assetStorage(from: number): readonly ScMapItem[] | undefined {
    if (this.#word() !== EXECUTABLE_STELLAR_ASSET) {
      this.#at = walkValue(this.#view, from, {});
      return undefined;
    }
    return this.#word() === 1 ? this.#items() : [];
  }

  #address(): Address | undefined {
    const at = this.#at;
    switch (this.#word()) {
      case ADDRESS_ACCOUNT:
        this.#at = at + 40; // The type of its key stands between, and there is only one.
        return accountOf(this.#bytes.subarray(at + 8, at + 40));
      case ADDRESS_CONTRACT:
        return this.#contractId();
      default:
        this.#at = walkAddress(this.#view, at, {});
        return undefined;
    }
  }

  #contractId(): Address {
    this.#at += 32;
    return contractOf(this.#bytes.subarray(this.#at - 32, this.#at));
  }

  #fault(): ScFault {
    const type = this.#word();
    const code = this.#word();
    if (type === SCE_CONTRACT) return { kind: "contract", code };
    if (type === SCE_AUTH) return { kind: "auth" };
    const isResource =
      type === SCE_BUDGET || (type === SCE_STORAGE && code === SCEC_EXCEEDED_LIMIT);
    return { kind: isResource ? "resources" : "other" };
  }

  #opaque(): Uint8Array {
    const length = this.#word();
    const from = this.#at;
    this.#at = from + Math.ceil(length / 4) * 4;
    return this.#bytes.subarray(from, from + length);
  }

  #word(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }
}

/** Of a value that the SDK decoded. */
export function scValueOf(value: ScVal): ScValue {
  const bytes = value.toXdr();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return new ValueReader(bytes, view).value(0);
}

function joined(high: bigint, view: DataView, at: number): bigint {
  const low = view.getBigUint64(at);
  return high === 0n ? low : (high << 64n) | low;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
