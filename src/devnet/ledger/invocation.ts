// One contract invocation: its frames, events and diagnostics, as the host and the node around it
// record them.
import type { Address } from "../../model/address.ts";
import type { ContractEvent } from "../contract/host.ts";
import { type CallError, CallFailure, type CallOutcome, isCatchable } from "../contract/host.ts";
import { addressValue, symbol, type Value, vec } from "../contract/value.ts";
import type { Authorization } from "./authorization.ts";
import type { Executable } from "./entry.ts";
import {
  type Call,
  callDiagnostic,
  contractEvent,
  type Diagnostic,
  errorDiagnostic,
  hostFailedDiagnostic,
  returnDiagnostic,
  STORAGE_MISSING,
  scError,
  trapDiagnostic,
} from "./event.ts";
import { Frame, type FrameInvocation } from "./frame.ts";
import { codeKey, type EntryKey, instanceKey } from "./key.ts";
import type { HostValue } from "./sc-val.ts";
import type { Scope } from "./state.ts";
import type { XdrText } from "./xdr-writer.ts";

/** Runs a contract's function in its frame. `native`: built into the host, so nothing traps. */
export type Code = {
  readonly native: boolean;
  readonly run: (frame: Frame, fn: string, args: readonly Value[]) => Value;
};
export type CodeOf = (executable: Executable) => Code | undefined;

/** A failure that brings the words of its error event along. */
export class DetailedFailure extends CallFailure {
  readonly text: string;
  readonly args: readonly HostValue[];

  constructor(error: CallError, text: string, args: readonly HostValue[] = []) {
    super(error);
    this.text = text;
    this.args = args;
  }
}

export type EmittedEvent = {
  /** Of the ContractEvent. */
  readonly xdr: XdrText;
  /** The exchange's own events, as the contract model gave them. */
  readonly event?: ContractEvent;
  readonly contract: Address;
};

/** Calls within calls; the network's own limit follows from its budget. Guess. */
const DEPTH_MAX = 16;
/** Calls of one invocation. Guess: 20 fills make some 150. */
const CALLS_MAX = 2_000;

export class Invocation implements FrameInvocation {
  readonly authorization: Authorization;
  readonly now: number;
  readonly baseReserve: bigint;
  readonly read = new Set<EntryKey>();
  readonly events: EmittedEvent[] = [];
  readonly diagnostics: Diagnostic[] = [];
  /** Calls made, the first included. */
  calls = 0;
  readonly #codeOf: CodeOf;
  readonly #scope: Scope;
  readonly #callsMax: number;
  readonly #creates: boolean;
  #depth = 0;
  /** The failure whose error events are in the diagnostics already. */
  #reported: CallFailure | undefined;

  constructor(options: {
    readonly scope: Scope;
    readonly authorization: Authorization;
    readonly now: number;
    readonly baseReserve: bigint;
    readonly codeOf: CodeOf;
    /** Calls that the declared instructions suffice for; one more fails as a budget does. */
    readonly callsMax?: number;
    /** The call creates the contract: no other may run a constructor. */
    readonly creates?: boolean;
  }) {
    this.#scope = options.scope;
    this.authorization = options.authorization;
    this.now = options.now;
    this.baseReserve = options.baseReserve;
    this.#codeOf = options.codeOf;
    this.#callsMax = options.callsMax ?? CALLS_MAX;
    this.#creates = options.creates ?? false;
  }

  /** The transaction's own call. A failure leaves the scope and the events as they were. */
  run(call: Call): CallOutcome {
    try {
      return { ok: true, value: this.#enter(call, undefined, this.#scope) };
    } catch (thrown) {
      const { error } = failureOf(thrown);
      this.diagnostics.push(hostFailedDiagnostic(scError(error)));
      for (const recorded of this.diagnostics) recorded.inSuccessfulContractCall = false;
      return { ok: false, error };
    }
  }

  subCall(caller: Frame, call: Call): Value {
    try {
      return this.#enter(call, caller.self, caller.scope);
    } catch (thrown) {
      const { error } = failureOf(thrown);
      this.#callFailed(caller.self, call, error, "contract call failed");
      this.#escalate(caller.self, error, "call");
      throw thrown;
    }
  }

  trySubCall(caller: Frame, call: Call): CallOutcome {
    try {
      return { ok: true, value: this.#enter(call, caller.self, caller.scope) };
    } catch (thrown) {
      const { error } = failureOf(thrown);
      if (!isCatchable(error)) throw thrown;
      this.#callFailed(caller.self, call, error, "contract try_call failed");
      return { ok: false, error };
    }
  }

  emit(
    contract: Address,
    topics: readonly HostValue[],
    data: HostValue,
    event?: ContractEvent,
  ): void {
    const xdr = contractEvent(contract, topics, data);
    this.events.push(event === undefined ? { xdr, contract } : { xdr, contract, event });
    this.diagnostics.push({ inSuccessfulContractCall: true, event: xdr });
  }

  #enter(call: Call, caller: Address | undefined, outer: Scope): Value {
    const { contract, fn } = call;
    this.calls += 1;
    // Recorded before the frame opens: a failing frame leaves the flag of its own fn_call alone.
    this.diagnostics.push(callDiagnostic(call, caller));
    if (fn.startsWith("__") && !(this.#creates && caller === undefined)) {
      throw new CallFailure({
        kind: "invalid",
        message: "can't invoke a reserved function directly",
      });
    }
    const code = this.#load(contract, outer);
    const events = this.events.length;
    const diagnostics = this.diagnostics.length;
    const scope = outer.child();
    const frame = new Frame(this, { call, caller, scope });
    let ok = false;
    try {
      this.#depth += 1;
      this.authorization.enter();
      if (this.#depth > DEPTH_MAX || this.calls > this.#callsMax) {
        throw new CallFailure({ kind: "budget", message: "exceeded the budget's limit" });
      }
      const value = code.run(frame, fn, call.args);
      this.diagnostics.push(returnDiagnostic(contract, fn, value));
      scope.commit();
      ok = true;
      return value;
    } catch (thrown) {
      this.#reportTrap(contract, fn, code, failureOf(thrown));
      this.events.length = events;
      for (const recorded of this.diagnostics.slice(diagnostics))
        recorded.inSuccessfulContractCall = false;
      throw thrown;
    } finally {
      this.#depth -= 1;
      this.authorization.leave(ok);
    }
  }

  #load(contract: Address, scope: Scope): Code {
    const key = instanceKey(contract);
    this.read.add(key);
    const entry = scope.get(key)?.entry;
    const executable = entry?.kind === "instance" ? entry.executable : undefined;
    if (executable?.kind === "wasm") this.read.add(codeKey(executable.hash));
    const code = executable === undefined ? undefined : this.#codeOf(executable);
    if (code !== undefined) return code;
    const text = "trying to get non-existing value for contract instance";
    this.diagnostics.push(errorDiagnostic(undefined, STORAGE_MISSING, text));
    const failure = new CallFailure({ kind: "invalid", message: text, missing: "contract" });
    this.#reported = failure;
    throw failure;
  }

  /** The error events of the frame in which the failure arose, and the trap of one it passes. */
  #reportTrap(contract: Address, fn: string, code: Code, failure: CallFailure): void {
    const error = scError(failure.error);
    if (this.#reported !== failure) {
      this.#reported = failure;
      this.#reportOrigin(contract, fn, code, failure);
    }
    if (!code.native && failure.error.kind !== "invalid") {
      this.diagnostics.push(trapDiagnostic(contract, fn, error));
    }
  }

  #reportOrigin(contract: Address, fn: string, code: Code, failure: CallFailure): void {
    const { error } = failure;
    const report = (text: string, args: readonly HostValue[]): void => {
      this.diagnostics.push(errorDiagnostic(contract, scError(error), text, args));
    };
    if (failure instanceof DetailedFailure) {
      report(failure.text, failure.args);
      return;
    }
    switch (error.kind) {
      case "contract":
        report("failing with contract error", [{ type: 3, u32: error.code }]);
        if (!code.native) this.#escalate(contract, error, "fail_with_error");
        break;
      case "auth":
        report("Unauthorized function call for address", [addressValue(error.address)]);
        if (!code.native) this.#escalate(contract, error, "require_auth");
        break;
      case "invalid":
        report(
          error.missing === "function"
            ? "trying to invoke non-existent contract function"
            : "VM call trapped: UnreachableCodeReached",
          [symbol(fn)],
        );
        break;
      case "budget":
      case "fault":
        report(error.message, []);
        break;
    }
  }

  #callFailed(caller: Address, call: Call, error: CallError, text: string): void {
    this.diagnostics.push(
      errorDiagnostic(caller, scError(error), text, [symbol(call.fn), vec(call.args)]),
    );
  }

  #escalate(contract: Address, error: CallError, hostFunction: string): void {
    this.diagnostics.push(
      errorDiagnostic(
        contract,
        scError(error),
        `escalating error to VM trap from failed host function call: ${hostFunction}`,
      ),
    );
  }
}

/** Anything thrown that is no CallFailure is a fault of a model: it goes on up. */
function failureOf(thrown: unknown): CallFailure {
  if (thrown instanceof CallFailure) return thrown;
  throw thrown;
}
