// A subscription as an async iterator, for callers that do slow work on each message.
import type { Arrival, Channel, ChannelMessage, PushClient, Subscribe } from "./push.ts";

/** Messages that wait for the caller unless said otherwise (choice). */
const WAITING_MAX = 1_000;

/** One message with what is to be known of its arrival. */
export type Received<C extends Channel> = Arrival & { readonly message: ChannelMessage<C> };

export type StreamOptions = {
  /** Messages that may wait for the caller; 1,000 by default. */
  readonly waitingMax?: number;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
};

/**
 * The messages of a subscription until the loop is left or `signal` aborts. Bounded: where more wait than
 * `waitingMax`, all of them are dropped and the channel is subscribed anew, so that a snapshot with `isGap`
 * comes next. Throws an Error with the API's words where the subscription is refused.
 */
export async function* stream<C extends Channel>(
  client: PushClient,
  parameters: Subscribe<C>,
  { waitingMax = WAITING_MAX, signal }: StreamOptions = {},
): AsyncGenerator<Received<C>, undefined, undefined> {
  let waiting: Received<C>[] = [];
  let error: Error | undefined;
  let isGap = false;
  let wake = (): void => undefined;
  const subscribe = (): (() => void) =>
    client.subscribe(parameters, {
      message: (message, arrival) => {
        if (waiting.length >= waitingMax) {
          waiting = [];
          isGap = true;
          end();
          end = subscribe();
          return;
        }
        waiting.push({
          ...arrival,
          message,
          isGap: arrival.isGap || (isGap && arrival.isSnapshot),
        });
        if (arrival.isSnapshot) isGap = false;
        wake();
      },
      refused: (text) => {
        error = new Error(text);
        wake();
      },
    });
  const abort = (): void => wake();
  signal?.addEventListener("abort", abort, { once: true });
  let end = subscribe();
  try {
    while (!signal?.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (error !== undefined) throw error;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    end();
  }
}
