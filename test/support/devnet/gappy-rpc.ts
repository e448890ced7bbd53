// A Stellar RPC in front of another one, whose pages lack the ledgers that a test names.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Page = { ledgers?: readonly { readonly sequence: number }[] };

export class GappyRpc {
  /** Both ends inclusive. */
  missing: { readonly from: number; readonly to: number } | undefined;
  // What is behind it may be gone.
  readonly #server = createServer((request, response) => {
    this.#pass(request, response).catch(() => response.destroy());
  });
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async start(url: string): Promise<GappyRpc> {
    const rpc = new GappyRpc(url);
    rpc.#server.listen(0, "127.0.0.1");
    await once(rpc.#server, "listening");
    return rpc;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const answer = await fetch(this.#url, { method: "POST", body });
    const json = (await answer.json()) as { result?: Page };
    const { missing } = this;
    if (missing !== undefined && json.result?.ledgers !== undefined) {
      json.result.ledgers = json.result.ledgers.filter(
        ({ sequence }) => sequence < missing.from || sequence > missing.to,
      );
    }
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(json));
  }
}
