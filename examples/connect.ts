// The push connection of the examples. Every subscribe is answered by a snapshot, which replaces what was
// known of its topic, so nothing has to be caught up on after a reconnect.
import { PushClient } from "hopbook/client";
import { WebSocket } from "ws";

/** `url`: the service's. What becomes of the connection is told on stderr. */
export function connect(url: string): PushClient {
  const client: PushClient = new PushClient(url, {
    // Node has one of its own from 22 on.
    WebSocket: globalThis.WebSocket ?? WebSocket,
    changed: () => {
      if (client.state !== "lost") return;
      const seconds = ((client.retryAt - performance.now()) / 1000).toFixed(1);
      console.error(`the connection is gone, the next try is in ${seconds} s`);
    },
  });
  return client;
}

/** A subscription that the service refuses is as good as a wrong argument. */
export function endProcess(problem: unknown): never {
  console.error(problem instanceof Error ? problem.message : problem);
  process.exit(1);
}
