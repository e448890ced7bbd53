// An account of a test that trades on the devnet with the Stellar SDK, as a bot does.
import assert from "node:assert/strict";
import {
  type Asset,
  BASE_FEE,
  contract,
  type FeeBumpTransaction,
  Keypair,
  Operation,
  rpc,
  type Transaction,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import { jsonText } from "./json-text.ts";

/** Generous: machines that run tests can be slow. */
const POLLS_MAX = 1_200;
const POLL_MS = 50;

export type Network = {
  readonly url: string;
  readonly passphrase: string;
  readonly exchange: string;
};
type Applied = rpc.Api.GetSuccessfulTransactionResponse | rpc.Api.GetFailedTransactionResponse;
/** As `contract.Client.from` makes it: methods by the contract's own description. */
type Method = (args?: object) => Promise<contract.AssembledTransaction<unknown>>;

export class Trader {
  readonly key = Keypair.random();
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  get address(): string {
    return this.key.publicKey();
  }

  get server(): rpc.Server {
    return new rpc.Server(this.#network.url, { allowHttp: true });
  }

  /** Lumens from friendbot, trustlines, and what the faucet gives of each of `tokens`. */
  async fund(trusted: readonly Asset[], tokens: readonly string[]): Promise<void> {
    await this.server.fundAddress(this.address);
    await this.trust(trusted);
    for (const token of tokens) {
      const query = `addr=${this.address}&asset=${token}`;
      const response = await fetch(`${this.#network.url}/faucet?${query}`, { method: "POST" });
      assert.equal(response.status, 200, await response.text());
    }
  }

  async trust(assets: readonly Asset[]): Promise<void> {
    const operations = assets.map((asset) => Operation.changeTrust({ asset }));
    const applied = await this.submit(this.sign(await this.build(...operations)));
    assert.equal(applied.status, "SUCCESS");
  }

  async build(...operations: Parameters<TransactionBuilder["addOperation"]>[0][]) {
    const builder = new TransactionBuilder(await this.server.getAccount(this.address), {
      fee: BASE_FEE,
      networkPassphrase: this.#network.passphrase,
    });
    for (const operation of operations) builder.addOperation(operation);
    return builder.setTimeout(300).build();
  }

  sign<T extends Transaction | FeeBumpTransaction>(transaction: T): T {
    transaction.sign(this.key);
    return transaction;
  }

  /** Sends it and waits for its ledger. */
  async submit(transaction: Transaction | FeeBumpTransaction): Promise<Applied> {
    const sent = await this.server.sendTransaction(transaction);
    assert.equal(sent.status, "PENDING", jsonText(sent.errorResult?.toXdrObject()));
    const polled = await this.server.pollTransaction(sent.hash, {
      attempts: POLLS_MAX,
      sleepStrategy: () => POLL_MS,
    });
    if (polled.status === rpc.Api.GetTransactionStatus.NOT_FOUND) assert.fail("not applied");
    return polled;
  }

  /** The call of a contract's function, simulated and not yet signed. */
  async prepare(
    fn: string,
    args: object = {},
    contractId = this.#network.exchange,
  ): Promise<contract.AssembledTransaction<unknown>> {
    const { passphrase: networkPassphrase, url: rpcUrl } = this.#network;
    const client = await contract.Client.from({
      ...{ contractId, networkPassphrase, rpcUrl, allowHttp: true },
      publicKey: this.address,
      ...contract.basicNodeSigner(this.key, networkPassphrase),
    });
    const method = (client as unknown as Record<string, Method | undefined>)[fn];
    assert.ok(method !== undefined, `the contract has no function ${fn}`);
    return await (Object.keys(args).length === 0 ? method() : method(args));
  }

  /** Calls the function in a transaction of this account; gives what the simulation returned. */
  async call(fn: string, args: object, contractId?: string): Promise<unknown> {
    const assembled = await this.prepare(fn, args, contractId);
    const expected = assembled.result;
    const applied = await this.submit(await signed(assembled));
    assert.equal(applied.status, "SUCCESS");
    return expected;
  }
}

/** Ready to be sent. */
export async function signed(
  assembled: contract.AssembledTransaction<unknown>,
): Promise<Transaction> {
  await assembled.sign();
  const { signed: transaction } = assembled;
  assert.ok(transaction !== undefined);
  return transaction;
}
