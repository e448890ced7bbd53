import assert from "node:assert/strict";
import { Agent, createServer } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { closeServer, listenLocally, postJson } from "../support/http/relaying.ts";

test("an answer that breaks behind its head fails its reader alone, and the next comes", async () => {
  let gives: "a part" | "all" | "nothing" = "a part";
  let socket: Socket | undefined;
  const server = createServer((asked, response) => {
    asked.resume();
    socket = asked.socket;
    if (gives === "nothing") socket.destroy();
    else response.write("{");
    if (gives === "all") response.end("}");
  });
  const url = await listenLocally(server);
  const agent = new Agent({ keepAlive: true });
  for (const cut of [() => socket?.resetAndDestroy(), () => socket?.end("no chunk\r\n")]) {
    const answer = await postJson(url, agent, "{}");
    cut();
    await assert.rejects(text(answer));
  }
  gives = "all";
  assert.equal(await text(await postJson(url, agent, "{}")), "{}");
  gives = "nothing";
  await assert.rejects(postJson(url, agent, "{}"));
  agent.destroy();
  await closeServer(server);
});
