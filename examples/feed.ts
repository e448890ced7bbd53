// A push connection that comes back by itself. Every subscribe is answered by a snapshot, which
// replaces what was known of its topic, so nothing has to be caught up on after a reconnect.
import type { ClientMessage, PushMessage } from "hopbook/api";
import WebSocket from "ws";

/** The server pings every 30 seconds: a connection without is dead, though it may look open. */
const SILENCE_MS_MAX = 75_000;
const FIRST_WAIT_MS = 500;
const WAIT_MS_MAX = 30_000;

export type Feed = { close(): void };

/**
 * `url`: the service's, http or https. `onMessage` gets every message but errors: a subscription that
 * the server refuses, which is as good as a wrong argument, ends the process. What becomes of the
 * connection is told on stderr.
 */
export function follow(
  url: string,
  subscriptions: readonly ClientMessage[],
  onMessage: (message: PushMessage) => void,
): Feed {
  let closed = false;
  let waitMs = FIRST_WAIT_MS;
  let socket: WebSocket;
  let silence: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), SILENCE_MS_MAX);
  };
  const connect = (): void => {
    socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
    socket.on("open", () => {
      for (const subscription of subscriptions) socket.send(JSON.stringify(subscription));
      heard();
    });
    socket.on("ping", heard);
    socket.on("message", (data) => {
      heard();
      waitMs = FIRST_WAIT_MS;
      const message = JSON.parse(String(data)) as PushMessage;
      if (message.type === "error") {
        console.error(message.error);
        process.exit(1);
      }
      onMessage(message);
    });
    // An error is always followed by the close.
    socket.on("error", (error) => console.error(error.message));
    socket.on("close", () => {
      clearTimeout(silence);
      if (closed) return;
      console.error(`the connection is gone, the next try is in ${waitMs / 1000} s`);
      setTimeout(() => closed || connect(), waitMs);
      waitMs = Math.min(2 * waitMs, WAIT_MS_MAX);
    });
  };
  connect();
  return {
    close: () => {
      closed = true;
      clearTimeout(silence);
      socket.close();
    },
  };
}
