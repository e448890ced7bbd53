import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { testContract } from "../../test/ingest/addresses.ts";
import { writeLake } from "../../test/ingest/build-lake.ts";
import { buildChain, TEST_PASSPHRASE } from "../../test/ingest/build-ledger.ts";
import { FakeRpc, FakeTimer } from "../../test/ingest/fake-rpc.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { SourceBoard } from "./source-board.ts";
import { Sources } from "./sources.ts";

const chain = buildChain(2, 20);
const late = chain[12]?.bytes ?? [];
const { signal } = new AbortController();

function sourcesOf(rpcUrl: string, lake: string): Sources {
  return new Sources(
    {
      rpcUrls: [rpcUrl],
      passphrase: TEST_PASSPHRASE,
      exchange: testContract(1),
      catchUpThreads: 0,
      board: new SourceBoard(2).memory,
      proofMs: 1000,
      lake,
    },
    {
      timer: new FakeTimer(),
      log: () => undefined,
      onStatus: () => undefined,
      onFailure: () => undefined,
    },
  );
}

test("a ledger that nobody has is another matter than one that cannot be had now", async () => {
  const rpc = new FakeRpc();
  rpc.add(...chain.slice(10));
  const url = await rpc.listen();
  const directory = temporaryFolder();
  const layout = { ledgersPerBatch: 1, batchesPerPartition: 1 };
  await writeLake({ directory, layout, passphrase: TEST_PASSPHRASE }, chain.slice(0, 5));
  let status = 403;
  const lake = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => lake.listen(0, "127.0.0.1", resolve));
  after(() => Promise.all([rpc.close(), new Promise((resolve) => lake.close(resolve))]));
  const refusing = `http://127.0.0.1:${(lake.address() as AddressInfo).port}`;

  const sound = sourcesOf(url, directory);
  const [, third] = chain;
  assert.ok(third !== undefined);
  assert.deepEqual(Buffer.from((await sound.ledger(3, signal)) ?? []), Buffer.from(third.bytes));
  assert.deepEqual(Buffer.from((await sound.ledger(14, signal)) ?? []), Buffer.from(late));
  assert.equal(await sound.ledger(9, signal), undefined);
  for (status of [403, 500, 429]) {
    const broken = sourcesOf(url, refusing);
    await assert.rejects(broken.ledger(3, signal), new RegExp(`HTTP ${status}`));
    assert.deepEqual(Buffer.from((await broken.ledger(14, signal)) ?? []), Buffer.from(late));
  }
  rpc.fault = () => ({ cut: true });
  await assert.rejects(sourcesOf(url, directory).ledger(14, signal), /ledger 14/);
});
