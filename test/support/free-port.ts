import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to whoever asks for any port (32768 to 60999 on Linux). */
const PORTS = { from: 11_000, to: 32_000 };
/** Processes that run at the same time begin far from each other. */
const STEP = 7;

let next = PORTS.from + ((process.pid * STEP) % (PORTS.to - PORTS.from));

/**
 * A port on which a process may come back: nobody listens on it, and the system gives it to nobody
 * else meanwhile. Rejects where there is none.
 */
export async function freePort(): Promise<number> {
  for (; next < PORTS.to; next += 1) {
    const server = createServer();
    try {
      server.listen(next, "127.0.0.1");
      await once(server, "listening");
    } catch {
      continue;
    }
    server.close();
    await once(server, "close");
    next += 1;
    return next - 1;
  }
  throw new Error("no port is free");
}
