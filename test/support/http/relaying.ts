// What servers that pass requests on have in common: a port of loopback, and the answer of whoever is behind it.
import { once } from "node:events";
import { type Agent, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port of loopback; returns the URL. */
export async function listenLocally(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Cuts off whoever is still connected. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** The answer to a JSON body, once its head is there. Rejects where none comes. */
export async function postJson(
  url: string,
  agent: Agent,
  body: string | Buffer,
): Promise<IncomingMessage> {
  const asking = request(url, {
    method: "POST",
    agent,
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
  });
  // A connection that breaks behind the head ends the answer's body, and says so here, where nobody listens any more.
  asking.on("error", () => undefined);
  asking.end(body);
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  return answer;
}
