// The tree of contract calls that a transaction's diagnostic events describe (fn_call, fn_return,
// error, host_fn_failed). Diagnostics are no part of consensus: they may be absent or cut short, and
// whatever does not fit is ignored rather than trusted.
import type { Address } from "../model/address.ts";
import { contractOf } from "./address-cache.ts";
import {
  type HostDiagnostic,
  type HostEvent,
  readSymbol,
  readText,
  readVec,
  type ScFault,
  type ScValue,
} from "./sc-value.ts";

export type Call = {
  readonly contract: Address;
  readonly fn: string;
  readonly args: readonly ScValue[];
  readonly parent: Call | undefined;
  readonly children: Call[];
  /** Contract events emitted in this very frame, in order, rolled back or not. */
  readonly events: HostEvent[];
  /** `open`: the diagnostics end without saying. */
  outcome: "open" | "returned" | "failed";
  /** What the call failed with, as its caller (or the host, for the outermost) saw it. */
  error: ScFault | undefined;
  /** The caller used the plain form of a call: this failure failed the caller as well. */
  escalated: boolean;
};

/** A contract event of a frame, in the order emitted. */
export type FrameEvent = { readonly call: Call | undefined; readonly event: HostEvent };

export type CallTree = {
  /** Every call in the order it began. */
  readonly calls: readonly Call[];
  /** Every contract event that was not rolled back, in order: the same list as the operation's. */
  readonly kept: readonly FrameEvent[];
};

/** Calls deeper than the host allows (100 frames) are no calls but garbage. From rs-soroban-env. */
const DEPTH_MAX = 128;

export function buildCallTree(diagnostics: readonly HostDiagnostic[]): CallTree {
  const builder = new TreeBuilder();
  for (const diagnostic of diagnostics) builder.add(diagnostic);
  return builder.finish();
}

class TreeBuilder {
  readonly #calls: Call[] = [];
  readonly #stack: Call[] = [];
  readonly #kept: FrameEvent[] = [];

  add({ event, inSuccessfulCall }: HostDiagnostic): void {
    const { contract, topics, data } = event;
    if (event.type === "contract") {
      this.#emitted(event, inSuccessfulCall);
      return;
    }
    if (event.type !== "diagnostic") return;
    switch (readSymbol(topics[0]) ?? "") {
      case "fn_call":
        this.#began(contract, topics, data);
        break;
      case "fn_return":
        this.#returned(contract, readText(topics[1]));
        break;
      case "error":
        this.#erred(contract, errorOf(topics[1]), data);
        break;
      case "host_fn_failed":
        this.#hostFailed(errorOf(topics[1]));
        break;
      default:
        break;
    }
  }

  finish(): CallTree {
    return { calls: this.#calls, kept: this.#kept };
  }

  #began(caller: Address | undefined, topics: readonly ScValue[], data: ScValue): void {
    const callee = topics[1];
    const fn = readText(topics[2]);
    if (callee?.kind !== "bytes" || callee.bytes.length !== 32 || fn === undefined) return;
    this.#unwindTo(caller);
    if (this.#stack.length >= DEPTH_MAX) return;
    const parent = this.#stack.at(-1);
    const call: Call = {
      contract: contractOf(callee.bytes),
      fn,
      args: argumentsOf(data),
      parent,
      children: [],
      events: [],
      outcome: "open",
      error: undefined,
      escalated: false,
    };
    parent?.children.push(call);
    this.#calls.push(call);
    this.#stack.push(call);
  }

  #returned(contract: Address | undefined, fn: string | undefined): void {
    const at = this.#stack.findLastIndex((call) => call.contract === contract && call.fn === fn);
    if (at < 0) return;
    // Frames above it never returned: they failed, and this one went on.
    for (const call of this.#stack.splice(at + 1)) fail(call, undefined, false);
    const call = this.#stack.pop();
    if (call !== undefined) call.outcome = "returned";
  }

  #erred(contract: Address | undefined, error: ScFault | undefined, data: ScValue): void {
    const parts = readVec(data);
    const message = readText(parts === undefined ? data : parts[0]);
    const plain = message === "contract call failed";
    if (!plain && message !== "contract try_call failed") {
      const call = this.#stack.at(-1);
      // The last error of a frame is what it fails with, unless its caller says otherwise.
      if (call !== undefined && call.contract === contract) call.error = error;
      return;
    }
    const fn = readText(parts?.[1]);
    const caller = this.#stack.findLastIndex((call) => call.contract === contract);
    // The call that failed is the caller's direct child; a frame of the same contract further in
    // may be it, so look for a child of that name from the top.
    const at = this.#stack.findLastIndex(
      (call, index) => call.fn === fn && index > 0 && this.#stack[index - 1]?.contract === contract,
    );
    const first = at >= 0 ? at : caller + 1;
    if (first <= 0 || first >= this.#stack.length) return;
    const [failed, ...inner] = this.#stack.splice(first);
    if (failed !== undefined) fail(failed, error, plain);
    for (const call of inner) fail(call, undefined, true);
  }

  #hostFailed(error: ScFault | undefined): void {
    const [outermost, ...inner] = this.#stack.splice(0);
    if (outermost !== undefined) fail(outermost, error, true);
    for (const call of inner) fail(call, undefined, true);
  }

  #emitted(event: HostEvent, kept: boolean): void {
    const { contract } = event;
    this.#unwindTo(contract);
    const top = this.#stack.at(-1);
    const call = top?.contract === contract ? top : undefined;
    call?.events.push(event);
    if (kept) this.#kept.push({ call, event });
  }

  /** Frames above the contract that acts now ended without a word: they failed. */
  #unwindTo(acting: Address | undefined): void {
    if (acting === undefined) return;
    const at = this.#stack.findLastIndex((call) => call.contract === acting);
    if (at < 0) return;
    for (const call of this.#stack.splice(at + 1)) fail(call, undefined, false);
  }
}

function fail(call: Call, error: ScFault | undefined, escalated: boolean): void {
  call.outcome = "failed";
  call.error = error ?? call.error;
  call.escalated = escalated;
}

function errorOf(value: ScValue | undefined): ScFault | undefined {
  return value?.kind === "error" ? value.error : undefined;
}

/** No argument is Void, one is itself, several are a Vec; a lone Vec argument looks like several. */
function argumentsOf(data: ScValue): readonly ScValue[] {
  if (data.kind === "void") return [];
  return readVec(data) ?? [data];
}
