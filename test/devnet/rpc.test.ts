import assert from "node:assert/strict";
import { after, test } from "node:test";
import { rpc } from "@stellar/stellar-sdk";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { devnetOptionsSchema } from "../../src/devnet/options.ts";
import { createFixture } from "../support/devnet/fixture.ts";
import { decodeLedger } from "./audit.ts";

const PASSPHRASE = "RPC test";
const fixture = createFixture("rpc", PASSPHRASE);
const RETENTION = 10;

const devnet: Devnet = await startDevnet(
  devnetOptionsSchema.parse({
    seed: "rpc",
    passphrase: PASSPHRASE,
    port: 0,
    manual: true,
    retention: RETENTION,
    startTime: 1_800_000_000,
  }),
  fixture.scenario,
);
after(() => devnet.stop());
for (let closed = 0; closed < 20; closed += 1) devnet.closeLedger();

type Answer = {
  readonly result?: {
    readonly ledgers?: readonly { readonly metadataXdr: string; readonly hash: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
};

async function ask(method: string, params: unknown): Promise<Answer> {
  const response = await fetch(devnet.url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

test("the SDK's own client reads network, health and ledgers", async () => {
  const server = new rpc.Server(devnet.url, { allowHttp: true });
  assert.equal((await server.getNetwork()).passphrase, PASSPHRASE);
  const health = await server.getHealth();
  assert.equal(health.status, "healthy");
  const { ledger } = devnet.tip;
  const page = await server.getLedgers({ startLedger: ledger - 3, pagination: { limit: 2 } });
  assert.deepEqual(
    page.ledgers.map(({ sequence }) => sequence),
    [ledger - 3, ledger - 2],
  );
  assert.equal(page.cursor, String(ledger - 2));
  assert.equal((await server.getLatestLedger()).sequence, ledger);
});

test("ledgers are served as they were closed", async () => {
  const { ledger } = devnet.tip;
  const { result } = await ask("getLedgers", { startLedger: ledger });
  const [served] = result?.ledgers ?? [];
  assert.ok(served);
  const meta = decodeLedger(Buffer.from(served.metadataXdr, "base64"));
  assert.equal(meta.ledgerHeader.header.ledgerSeq, ledger);
  assert.equal(Buffer.from(meta.ledgerHeader.hash).toString("hex"), served.hash);
});

test("a start outside the kept ledgers is refused in the words of Stellar RPC", async () => {
  const { ledger } = devnet.tip;
  const range =
    `must be between the oldest ledger: ${ledger - RETENTION + 1} and the latest ledger: ` +
    `${ledger} for this rpc instance`;
  for (const startLedger of [0, 2, ledger - RETENTION, ledger + 1]) {
    assert.deepEqual((await ask("getLedgers", { startLedger })).error, {
      code: -32600,
      message: `start ledger (${startLedger}) ${range}`,
    });
  }
  for (const cursor of [ledger, 1]) {
    const answer = await ask("getLedgers", { pagination: { cursor: String(cursor) } });
    assert.deepEqual(answer.error, { code: -32602, message: `cursor ('${cursor}') ${range}` });
  }
});

test("limits and contradictions are refused", async () => {
  const { ledger } = devnet.tip;
  const errors = [
    [{ startLedger: ledger, pagination: { limit: 201 } }, "limit must not exceed 200"],
    [
      { startLedger: ledger, pagination: { cursor: "5" } },
      `startLedger (${ledger}) and cursor (5) cannot both be set`,
    ],
  ] as const;
  for (const [params, message] of errors) {
    assert.deepEqual((await ask("getLedgers", params)).error, { code: -32602, message });
  }
  assert.equal((await ask("getNothing", {})).error?.code, -32601);
});
