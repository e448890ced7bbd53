// A port in front of a network's RPC: it counts the requests that pass, can leave ledgers out of pages, and can be
// turned to another network, as where a test network begins anew under its address.
import { Agent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { closeServer, listenLocally, postJson } from "./http/relaying.ts";

type Ledgers = { readonly result?: { readonly ledgers: readonly { readonly sequence: number }[] } };

export class RpcRelay {
  /** URL of the RPC behind it. Undefined: there is none, and requests are cut off. */
  target: string | undefined;
  /** Ledgers that pages leave out, both ends inclusive. */
  missing: { readonly from: number; readonly to: number } | undefined;
  /** Requests so far, by method. */
  readonly requests = new Map<string, number>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((request, response) => {
    this.#pass(request, response).catch(() => response.destroy());
  });

  /** Before `start` has resolved there is none. */
  url = "";

  private constructor(target: string) {
    this.target = target;
    // As the devnet's own port: a close by the server can cross a client's next request.
    this.#server.keepAliveTimeout = 0;
  }

  static async start(target: string): Promise<RpcRelay> {
    const relay = new RpcRelay(target);
    relay.url = await listenLocally(relay.#server);
    return relay;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await closeServer(this.#server);
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method }: { readonly method: string } = JSON.parse(body);
    this.requests.set(method, (this.requests.get(method) ?? 0) + 1);
    if (this.target === undefined) {
      response.destroy();
      return;
    }
    const answer = await postJson(this.target, this.#agent, body);
    const { statusCode = 500, headers } = answer;
    response.writeHead(statusCode, { "Content-Type": headers["content-type"] ?? "" });
    const { missing } = this;
    if (missing === undefined || method !== "getLedgers") {
      answer.on("error", () => response.destroy());
      answer.pipe(response);
      return;
    }
    const page: Ledgers = JSON.parse(await text(answer));
    const ledgers = page.result?.ledgers.filter(
      ({ sequence }) => sequence < missing.from || sequence > missing.to,
    );
    response.end(
      JSON.stringify({ ...page, ...(ledgers && { result: { ...page.result, ledgers } }) }),
    );
  }
}
