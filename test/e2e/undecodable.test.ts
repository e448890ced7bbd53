// A protocol upgrade that this version cannot decode: it stops at that ledger and names it, keeps serving the
// last state, and the next version continues with the same ledger.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ApiClient } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";
import { expectedRows } from "./expected-rows.ts";
import { settled } from "./settled.ts";

type Page = {
  readonly result?: { readonly ledgers?: { readonly sequence: number; metadataXdr: string }[] };
};

/** Stands before an RPC and gives ledgers from `upgradedAt` on a version that nobody knows. */
class Upgraded {
  upgradedAt = Number.POSITIVE_INFINITY;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const answer = await fetch(this.#url, { method: "POST", body: Buffer.concat(pieces) });
    const page = (await answer.json()) as Page;
    for (const ledger of page.result?.ledgers ?? []) {
      if (ledger.sequence < this.upgradedAt) continue;
      const bytes = Buffer.from(ledger.metadataXdr, "base64");
      bytes.writeInt32BE(99, 0); // The version of a LedgerCloseMeta.
      ledger.metadataXdr = bytes.toString("base64");
    }
    response.end(JSON.stringify(page));
  }

  async listen(t: TestContext): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    t.after(() => {
      this.#server.close();
      this.#server.closeAllConnections();
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

test("an unknown version stops the reading at its ledger until it is known", async (t) => {
  const devnet = await startRecordedDevnet({
    seed: "upgrade",
    manual: true,
    port: 0,
    makers: 4,
    takers: 4,
    levels: 3,
    transactionsPerLedger: 6,
  });
  t.after(() => devnet.stop());
  const rpc = new Upgraded(devnet.url);
  const rpcUrl = await rpc.listen(t);
  const close = (count: number): void => {
    for (let closed = 0; closed < count; closed += 1) devnet.closeLedger();
  };
  const dataDir = join(temporaryFolder(), "engine");
  const engineOf = () =>
    new EngineProcess({
      rpcUrl,
      passphrase: devnet.network.passphrase,
      contract: devnet.network.exchange,
      dataDir,
    });
  close(40);
  const old = engineOf();
  t.after(() => old.kill());
  const api = new ApiClient(await old.listening);
  await api.reached(devnet.tip.ledger);
  const last = devnet.tip.ledger;
  const before = [...eventsOf(devnet)];
  rpc.upgradedAt = last + 3;
  close(6);
  await api.reached(last + 2);
  const refusal = new RegExp(`ledger ${last + 3} \\(protocol \\d+\\) cannot be decoded`);
  for (let waited = 0; !old.log.some(({ msg }) => refusal.test(msg ?? "")); waited += 1) {
    assert.ok(waited < 600, JSON.stringify(old.log.slice(-5)));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal((await api.get("/")).ledger, last + 2);
  const trades = expectedRows(before, 0).trades.length;
  assert.ok(trades > 0 && (await api.all("/trades", 500)).length >= trades);
  await old.stop();

  rpc.upgradedAt = Number.POSITIVE_INFINITY;
  const updated = engineOf();
  t.after(() => updated.kill());
  const again = new ApiClient(await updated.listening);
  await again.reached(devnet.tip.ledger);
  await settled(async (now) => {
    const expected = expectedRows(eventsOf(devnet), now);
    assert.deepEqual(await again.all("/trades", 500), expected.trades);
    assert.deepEqual(await again.all("/order-history", 500), expected.archived);
  });
  await updated.stop();
});
