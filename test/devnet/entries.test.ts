// getLedgerEntries and simulateTransaction, asked with the SDK's own client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Account,
  Contract,
  nativeToScVal,
  rpc,
  Address as SdkAddress,
  scValToNative,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import {
  accountKey,
  dataKey,
  type EntryKey,
  instanceKey,
  trustlineKey,
  ttlKey,
} from "../../src/devnet/ledger/key.ts";
import { TEMPORARY_TTL_MIN } from "../../src/devnet/ledger/state.ts";
import { xdrBytes } from "../../src/devnet/ledger/xdr-writer.ts";
import { allowanceKey } from "../../src/devnet/tokens/sac-allowance.ts";
import { balanceKey } from "../../src/devnet/tokens/sac-balance.ts";
import { createFixture, ONE } from "../support/devnet/fixture.ts";
import { holdingIn } from "../support/devnet/holding.ts";

const PASSPHRASE = "Entries test";
const fixture = createFixture("entries", PASSPHRASE);
const { network, usdc, usdcToken, vault } = fixture;
const [maker] = fixture.makers;
const allowance = dataKey(
  usdcToken,
  allowanceKey({ from: maker, spender: network.exchange }),
  "temporary",
);

let devnet: Devnet;
before(async () => {
  devnet = await startDevnet(
    { seed: "entries", passphrase: PASSPHRASE, port: 0, manual: true, startTime: 1_800_000_000 },
    fixture.scenario,
  );
});
after(() => devnet.stop());

type Entry = {
  readonly key: string;
  readonly xdr: string;
  readonly lastModifiedLedgerSeq: number;
  readonly liveUntilLedgerSeq?: number;
};
type Answer = {
  readonly result?: { readonly entries: readonly Entry[]; readonly latestLedger: number };
  readonly error?: { readonly code: number; readonly message: string };
};

async function getLedgerEntries(keys: readonly string[]): Promise<Answer> {
  const response = await fetch(devnet.url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "getLedgerEntries", params: { keys } }),
  });
  return (await response.json()) as Answer;
}

function base64(key: EntryKey): string {
  return xdrBytes(key).toString("base64");
}

test("entries come in the order asked for, absent ones left out", async () => {
  const present = [instanceKey(usdcToken), accountKey(maker), trustlineKey(maker, usdc)];
  const absent = accountKey(fixture.usdc.issuer).replace(/.$/, "\u0001") as EntryKey;
  const [first, second, third] = present.map(base64);
  const keys = [first ?? "", base64(absent), second ?? "", third ?? ""];
  const { result } = await getLedgerEntries(keys);
  assert.deepEqual(
    result?.entries.map(({ key }) => key),
    present.map(base64),
  );
  assert.equal(result?.latestLedger, devnet.tip.ledger);
  const [instance, account] = result?.entries ?? [];
  assert.equal(typeof instance?.liveUntilLedgerSeq, "number");
  assert.equal(account?.liveUntilLedgerSeq, undefined);
});

test("the SDK's client reads accounts, trustlines and contract balances", async () => {
  const server = new rpc.Server(devnet.url, { allowHttp: true });
  const account = await server.getAccountEntry(maker);
  assert.equal(account.balance > 0n, true);
  const key = xdr.LedgerKey.fromXdr(xdrBytes(dataKey(usdcToken, balanceKey(vault), "persistent")));
  const { entries } = await server.getLedgerEntries(key);
  const [held] = entries;
  assert.ok(held);
  if (held.val.type !== "contractData") throw new Error("no contract data");
  assert.deepEqual(scValToNative(held.val.value.val), {
    amount: 1_000_000n * ONE,
    authorized: true,
    clawback: false,
  });
});

test("an allowance is there until its life is over, evicted or not", async () => {
  const liveUntil = devnet.tip.ledger + TEMPORARY_TTL_MIN + 4;
  devnet.submit([{ kind: "approve", source: maker, token: usdcToken, amount: ONE, liveUntil }]);
  devnet.closeLedger();
  const written = devnet.tip.ledger;
  while (devnet.tip.ledger <= liveUntil) {
    const { result } = await getLedgerEntries([base64(allowance)]);
    const [entry] = result?.entries ?? [];
    assert.equal(entry?.liveUntilLedgerSeq, liveUntil);
    assert.equal(entry?.lastModifiedLedgerSeq, written);
    assert.equal(holdingIn(devnet, usdcToken, maker).allowance, ONE);
    devnet.closeLedger();
  }
  assert.deepEqual((await getLedgerEntries([base64(allowance)])).result?.entries, []);
  assert.equal(holdingIn(devnet, usdcToken, maker).allowance, 0n);
  assert.ok(devnet.chain.state.get(allowance), "lapsed, not evicted yet");
  for (let later = 0; later < 10; later += 1) devnet.closeLedger();
  assert.equal(devnet.chain.state.get(allowance), undefined);
});

test("requests that Stellar RPC refuses are refused in its words", async () => {
  const one = base64(accountKey(maker));
  const refused = [
    [Array.from({ length: 201 }, () => one), "key count (201) exceeds maximum supported (200)"],
    [[base64(ttlKey(allowance))], "ledger ttl entries cannot be queried directly"],
    [["AAAA"], "cannot unmarshal key value AAAA at index 0"],
    [[one, "no base64"], "cannot unmarshal key value no base64 at index 1"],
  ] as const;
  for (const [keys, message] of refused) {
    assert.deepEqual((await getLedgerEntries(keys)).error, { code: -32602, message });
  }
  assert.equal((await getLedgerEntries(Array.from({ length: 200 }, () => one))).error, undefined);
});

test("a token's functions can be simulated, and leave nothing", async () => {
  const server = new rpc.Server(devnet.url, { allowHttp: true });
  const { hash } = devnet.tip;
  const ask = async (fn: string, ...args: readonly string[]) => {
    const contract = new Contract(network.plainToken);
    const values = args.map((arg) => SdkAddress.fromString(arg).toScVal());
    const source = new Account(network.root, "0");
    const transaction = new TransactionBuilder(source, {
      fee: "100",
      networkPassphrase: PASSPHRASE,
    })
      .addOperation(contract.call(fn, ...values))
      .setTimeout(0)
      .build();
    return server.simulateTransaction(transaction);
  };
  const balance = await ask("balance", maker);
  if (!rpc.Api.isSimulationSuccess(balance) || balance.result === undefined) {
    throw new Error("no success");
  }
  assert.equal(scValToNative(balance.result.retval), 1_000_000n * ONE);
  assert.equal(balance.latestLedger, devnet.tip.ledger);
  const none = await ask("allowance", maker, network.exchange);
  assert.ok(rpc.Api.isSimulationSuccess(none) && none.result);
  assert.deepEqual(none.result.retval.toXdr(), nativeToScVal(0n, { type: "i128" }).toXdr());
  const unknown = await ask("authorized", maker);
  assert.ok(rpc.Api.isSimulationError(unknown));
  assert.match(unknown.error, /HostError: Error\(WasmVm, MissingValue\)/);
  assert.equal(devnet.tip.hash, hash);
});
