// Diagnostic events against the shapes that real ledgers have (ledger.md, 5): the cases and their
// words are those of public-network transactions.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiagnosticEventWire, ScValWire } from "@stellar/stellar-sdk/xdr";
import { type RoutedCall, router, routerArguments } from "../../src/devnet/contract/router.ts";
import {
  addressValue,
  bool,
  i128,
  u128,
  type Value,
  vec,
} from "../../src/devnet/contract/value.ts";
import type { Resource } from "../../src/devnet/intent.ts";
import { CodeHash } from "../../src/devnet/network.ts";
import { codeOf } from "../../src/devnet/scenario.ts";
import { type Address, contractAddress } from "../../src/model/address.ts";
import { chainFromGenesis, createFixture } from "../support/devnet/fixture.ts";
import { decodeLedger, metaOf } from "./audit.ts";

const fixture = createFixture("diagnostics", "Diagnostics test");
const { network, usdcToken, taker } = fixture;
const [maker] = fixture.makers;
/** Has no trustline. */
const stranger = fixture.gold.issuer;

const NAMES = new Map<Address, string>([
  [network.router, "router"],
  [network.exchange, "exchange"],
  [usdcToken, "usdc"],
]);

/** The only transaction of a ledger: its diagnostics as text, its result and its events. */
function run(contract: Address, fn: string, args: readonly Value[], shortOf?: Resource) {
  const models = [...fixture.scenario.models, { hash: CodeHash.router, run: router }];
  const options = {
    codeOf: codeOf(models, CodeHash.plainToken),
    exchange: network.exchange,
    diagnostics: true,
  };
  const chain = chainFromGenesis(options, fixture.scenario.genesis(network, 1_800_000_000));
  chain.close(fixture.scenario.opening, 1_800_000_001);
  const lacking = shortOf === undefined ? {} : { shortOf };
  const call = { kind: "call", source: maker, contract, fn, args, ...lacking } as const;
  const closed = chain.close([call], 1_800_000_002);
  const ledger = decodeLedger(closed.meta);
  const meta = metaOf(ledger, 0);
  const { result } = ledger.txProcessing[0]?.result.result ?? {};
  const [operation] = result?.code === 0 || result?.code === -1 ? result.results : [];
  const invoked = operation?.code === 0 && operation.tr.type === 24 ? operation.tr : undefined;
  const lines = meta.diagnosticEvents.map(line);
  const metrics = lines.filter((text) => text.includes("core_metrics"));
  return {
    lines: lines.filter((text) => !text.includes("core_metrics")),
    metrics: { count: metrics.length, flags: new Set(metrics.map((text) => text.slice(0, 5))) },
    code: invoked?.invokeHostFunctionResult.code,
    events: meta.operations.flatMap(({ events }) => events).length,
  };
}

function line({ inSuccessfulContractCall: flag, event }: DiagnosticEventWire): string {
  const contract = event.contractId === null ? "-" : nameOf(event.contractId);
  const type = event.type === 1 ? " event" : "";
  const topics = event.body.v0.topics.map(textOf).join(" ");
  const kind = topics.split(" ")[0] ?? "";
  const shown = kind === "error" || kind === "log" ? ` ${textOf(event.body.v0.data)}` : "";
  return `${flag ? "true " : "false"} ${contract}${type} ${topics}${shown}`;
}

function nameOf(contract: Uint8Array): string {
  return NAMES.get(contractAddress(contract)) ?? "other";
}

function textOf(value: ScValWire): string {
  if (value.type === 15) return value.sym.toString();
  if (value.type === 14) return `"${value.str.toString()}"`;
  if (value.type === 13) return nameOf(value.bytes);
  if (value.type === 2) return value.error.type === 0 ? `#${value.error.contractCode}` : "host";
  if (value.type === 3) return String(value.u32);
  if (value.type === 5) return String(value.u64);
  if (value.type === 16) return (value.vec ?? []).map(textOf).join(" ");
  return "_";
}

function transfer(to: Address, caught: boolean, amount = 5n): RoutedCall {
  const args = [addressValue(maker), addressValue(to), i128(amount)];
  return { contract: usdcToken, fn: "transfer", args, caught };
}

test("a call that succeeds: calls, events and returns, all of them flagged true", () => {
  const { lines, metrics, code, events } = run(network.router, "run", [
    ...routerArguments([transfer(taker, false)]),
  ]);
  assert.deepEqual(lines, [
    "true  - fn_call router run",
    "true  router fn_call usdc transfer",
    `true  usdc event transfer _ _ "USDC:${fixture.usdc.issuer}"`,
    "true  usdc fn_return transfer",
    "true  router fn_return run",
  ]);
  assert.deepEqual(metrics, { count: 19, flags: new Set(["true "]) });
  assert.deepEqual({ code, events }, { code: 0, events: 1 });
});

test("a token call that fails ends with the error of its frame and of the host", () => {
  const args = [addressValue(maker), addressValue(stranger), i128(5n)];
  const { lines, metrics, code, events } = run(usdcToken, "transfer", args);
  assert.deepEqual(lines, [
    "false - fn_call usdc transfer",
    'false usdc error #13 "trustline entry is missing for account" _',
    "false - host_fn_failed #13",
  ]);
  assert.deepEqual(metrics, { count: 19, flags: new Set(["false"]) });
  assert.deepEqual({ code, events }, { code: -2, events: 0 });
});

test("a sub-call that is caught fails in a frame of its own", () => {
  const { lines, code, events } = run(network.router, "run", [
    ...routerArguments([transfer(stranger, true), transfer(taker, true)]),
  ]);
  assert.deepEqual(lines, [
    "true  - fn_call router run",
    "true  router fn_call usdc transfer",
    'false usdc error #13 "trustline entry is missing for account" _',
    'true  router error #13 "contract try_call failed" transfer _ _ _',
    "true  router fn_call usdc transfer",
    `true  usdc event transfer _ _ "USDC:${fixture.usdc.issuer}"`,
    "true  usdc fn_return transfer",
    "true  router fn_return run",
  ]);
  assert.deepEqual({ code, events }, { code: 0, events: 1 });
});

test("a failure that passes through a contract traps it as well", () => {
  const crossfill: RoutedCall = {
    contract: network.exchange,
    fn: "crossfill",
    args: [addressValue(maker), u128(1n), vec([])],
    caught: false,
  };
  const { lines, code } = run(network.router, "run", routerArguments([crossfill]));
  assert.deepEqual(lines, [
    "false - fn_call router run",
    "false router fn_call exchange crossfill",
    'false exchange error #710 "failing with contract error" 710',
    'false exchange error #710 "escalating error to VM trap from failed host function call: fail_with_error"',
    'false exchange log "VM call trapped with HostError" crossfill #710',
    'false router error #710 "contract call failed" crossfill _ _ ',
    'false router error #710 "escalating error to VM trap from failed host function call: call"',
    'false router log "VM call trapped with HostError" run #710',
    "false - host_fn_failed #710",
  ]);
  assert.equal(code, -2);
});

test("a call that nobody authorized fails in the host function that asks", () => {
  const { lines, code } = run(network.exchange, "freeze", [bool(true)]);
  assert.deepEqual(lines, [
    "false - fn_call exchange freeze",
    'false exchange error host "Unauthorized function call for address" _',
    'false exchange error host "escalating error to VM trap from failed host function call: require_auth"',
    'false exchange log "VM call trapped with HostError" freeze host',
    "false - host_fn_failed host",
  ]);
  assert.equal(code, -2);
});

test("what was undone stays in the diagnostics alone", () => {
  const inner: RoutedCall = {
    contract: network.router,
    fn: "run_then_fail",
    args: routerArguments([transfer(taker, false)]),
    caught: true,
  };
  const { lines, code, events } = run(network.router, "run", routerArguments([inner]));
  assert.deepEqual(lines, [
    "true  - fn_call router run",
    "true  router fn_call router run_then_fail",
    "false router fn_call usdc transfer",
    `false usdc event transfer _ _ "USDC:${fixture.usdc.issuer}"`,
    "false usdc fn_return transfer",
    'false router error #1 "failing with contract error" 1',
    'false router error #1 "escalating error to VM trap from failed host function call: fail_with_error"',
    'false router log "VM call trapped with HostError" run_then_fail #1',
    'true  router error #1 "contract try_call failed" run_then_fail _',
    "true  router fn_return run",
  ]);
  assert.deepEqual({ code, events }, { code: 0, events: 0 });
});

test("too many bytes of events fail a call that succeeded, for its resources", () => {
  const many = Array.from({ length: 80 }, () => transfer(taker, false));
  const { lines, code, events } = run(network.router, "run", routerArguments(many));
  assert.equal(lines.at(-2), "true  router fn_return run");
  assert.match(
    lines.at(-1) ?? "",
    /^false - error host "total events size exceeds network config maximum" [0-9]+ 16384$/,
  );
  assert.deepEqual({ code, events }, { code: -3, events: 0 });
});

test("a call short of instructions is given up by the host and then by the node", () => {
  const calls = routerArguments([transfer(taker, true)]);
  const { lines, metrics, code } = run(network.router, "run", calls, "instructions");
  assert.deepEqual(lines.slice(0, 2), [
    "false - fn_call router run",
    "false router fn_call usdc transfer",
  ]);
  assert.deepEqual(lines.slice(-2), [
    "false - host_fn_failed host",
    'false - error host "operation instructions exceeds amount specified" 2100000 2099999',
  ]);
  // No try_call catches it.
  assert.ok(!lines.some((text) => text.includes("try_call")));
  assert.deepEqual(metrics, { count: 19, flags: new Set(["false"]) });
  assert.equal(code, -3);
});

test("a fee too small for the events fails a call that succeeded", () => {
  const calls = routerArguments([transfer(taker, false)]);
  const { lines, metrics, code, events } = run(network.router, "run", calls, "refundableFee");
  assert.equal(lines[0], "true  - fn_call router run");
  assert.equal(lines.at(-2), "true  router fn_return run");
  assert.match(lines.at(-1) ?? "", /^false - error host "refundable resource fee was not suffic/);
  assert.deepEqual(metrics, { count: 19, flags: new Set(["false"]) });
  assert.deepEqual({ code, events }, { code: -5, events: 0 });
});

test("a footprint larger than declared fails before the host runs", () => {
  const { lines, metrics, code } = run(network.router, "run", [], "reading");
  assert.deepEqual(lines, [
    'false - error host "operation byte-read resources exceeds amount specified" 144 10',
  ]);
  assert.deepEqual(metrics, { count: 19, flags: new Set(["false"]) });
  assert.equal(code, -3);
});

test("a contract that does not exist fails before any frame", () => {
  const nowhere = contractAddress(new Uint8Array(32));
  const { lines } = run(nowhere, "run", []);
  assert.deepEqual(lines, [
    "false - fn_call other run",
    'false - error host "trying to get non-existing value for contract instance"',
    "false - host_fn_failed host",
  ]);
});
