// Replays settlement vectors on the contract model.
import { encodeEvent } from "../../src/devnet/contract/event.ts";
import type { CallOutcome, ContractEvent } from "../../src/devnet/contract/host.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import { orderId } from "../../src/model/order.ts";
import { callArguments } from "./settlement-call.ts";
import { settlementCase } from "./settlement-case.ts";
import { buildWorld, type FlatState, flattenExpected, flattenWorld } from "./settlement-world.ts";

/** What differs, one line each; empty: the case passes. Throws on a case of another format. */
export function replaySettlement(input: unknown): readonly string[] {
  const parsed = settlementCase.safeParse(input);
  if (!parsed.success) throw new Error(describeIssue(parsed.error.issues[0]));
  const vector = parsed.data;
  const { contract } = vector.before;
  const restId = vector.fn === "trade" ? vector.args.oid : orderId(0n);
  const world = buildWorld(vector.before, restId);
  const { trader } = vector.args;
  const outcome = world.memory.invoke([trader], contract, vector.fn, callArguments(vector));
  const events = world.memory.events.map(({ event }) => plainEvent(event));
  const state = flattenWorld(world, contract);
  return [
    ...difference("result", plainOutcome(outcome), vector.result),
    ...difference("events", events, vector.events),
    ...stateDifferences(state, flattenExpected(vector.before, vector.after)),
  ];
}

function describeIssue(issue: { path: PropertyKey[]; message: string } | undefined): string {
  return issue === undefined ? "not a case" : `${issue.path.join(".")}: ${issue.message}`;
}

/** As the vectors write it: `ok` with the values returned, or the failing contract and its code. */
function plainOutcome(outcome: CallOutcome): unknown {
  if (outcome.ok) return { ok: plainValue(outcome.value) };
  const { error } = outcome;
  if (error.kind !== "contract") return { error: error.kind };
  return { error: { contract: error.contract, code: error.code } };
}

/** Symbol, address topics and data in one list. */
function plainEvent(event: ContractEvent): unknown {
  const { topics, data } = encodeEvent(event);
  const items = data.type === "vec" ? data.value : [data];
  return [...topics, ...items].map(plainValue);
}

function plainValue(value: Value): unknown {
  switch (value.type) {
    case "void":
      return null;
    case "vec":
      return value.value.map(plainValue);
    case "map":
      return Object.fromEntries(value.value.map(([key, entry]) => [key, plainValue(entry)]));
    case "bool":
    case "u32":
    case "u64":
    case "u128":
    case "i128":
    case "symbol":
    case "string":
    case "address":
    case "other":
      return value.value;
  }
}

function difference(what: string, got: unknown, wanted: unknown): readonly string[] {
  const [gotText, wantedText] = [canonicalText(got), canonicalText(wanted)];
  return gotText === wantedText ? [] : [`${what}: got ${gotText}, expected ${wantedText}`];
}

/** JSON in which an integer is the same whether it came as a number, a bigint or a string. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === "bigint" || typeof entry === "number" ? String(entry) : entry,
  );
}

function stateDifferences(got: FlatState, wanted: FlatState): readonly string[] {
  const keys = new Set([...got.keys(), ...wanted.keys()]);
  return [...keys]
    .filter((key) => got.get(key) !== wanted.get(key))
    .map((key) => `${key}: got ${got.get(key) ?? "none"}, expected ${wanted.get(key) ?? "none"}`);
}
