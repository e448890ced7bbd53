// Clients that never finish their request must not hold their connection for ever: the binding's own
// time-out, which has no setting.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { startTestServer } from "../support/http/test-server.ts";

const skip = process.env.RUN_SLOW !== "1" && "takes half a minute; RUN_SLOW=1 runs it";

test("a request that trickles in is given up", { skip, timeout: 60_000 }, async () => {
  const server = await startTestServer();
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET /contract HTTP/1.1\r\nX-Slow: ");
  const drip = setInterval(() => socket.write("a"), 500);
  await new Promise((resolve) => socket.resume().once("close", resolve));
  clearInterval(drip);
  assert.equal((await fetch(`${server.url}/contract`)).status, 200);
  await server.close();
});
