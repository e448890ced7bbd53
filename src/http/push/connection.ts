// One push connection, as the hub and the endpoint see it. Main thread.
import type { HttpMeter } from "../http-meter.ts";
import type { TurnBudget } from "../turn-budget.ts";
import { SendStatus, type WebSocket } from "../uws.ts";
import type { Channel } from "./channel.ts";
import type { PendingSnapshot, Subscriber } from "./hub.ts";

const CLOSE_INTERNAL_ERROR = 1011;
const UPDATE_LOST = "An update could not be made. Connect and subscribe again";

/**
 * The binding copies the members of what it is given onto its own socket object and hands that out
 * as the user data, so the connection is one level down.
 */
export type UserData = { readonly connection: Connection };

/** One client. Touching a socket after its close throws, so it is let go of there. */
export class Connection implements Subscriber {
  readonly topics = new Map<string, Channel>();
  readonly pending = new Set<PendingSnapshot>();
  socket: WebSocket<UserData> | undefined;
  /** A pong or a message came since the last ping. */
  alive = true;
  /** Pings and pongs of the client since then. */
  controlFrames = 0;
  readonly client: string;
  readonly #meter: HttpMeter;
  readonly #turn: TurnBudget;
  #behind = false;

  /** `client`: whom limits per address count it for. */
  constructor(client: string, meter: HttpMeter, turn: TurnBudget) {
    this.client = client;
    this.#meter = meter;
    this.#turn = turn;
  }

  get waitingBytes(): number {
    return this.socket?.getBufferedAmount() ?? 0;
  }

  send(json: string): void {
    // Dropping a message in silence is the one thing a feed must not do.
    if (this.socket?.send(json) === SendStatus.dropped) this.socket?.close();
    else {
      this.#turn.wrote(json.length);
      this.#meter.sent(1, json.length);
    }
  }

  join(topic: string): void {
    this.socket?.subscribe(topic);
  }

  leave(topic: string): void {
    this.socket?.unsubscribe(topic);
  }

  /** The buffer is full: the binding closes the connection, or `send` does. */
  fellBehind(): void {
    if (!this.#behind) this.#meter.disconnected("slow");
    this.#behind = true;
  }

  tooSlow(): void {
    this.fellBehind();
    this.terminate();
  }

  updateLost(): void {
    this.#meter.disconnected("update_lost");
    this.end(CLOSE_INTERNAL_ERROR, UPDATE_LOST);
  }

  end(code: number, reason = ""): void {
    this.socket?.end(code, reason);
  }

  /** Without a close frame, which a client that does not read would not get. */
  terminate(): void {
    this.socket?.close();
  }

  /**
   * api.md, Limits: a connection that sent neither a pong frame nor any message since the previous
   * ping is terminated. The first ping comes within one interval of the opening.
   */
  checkLiveness(): void {
    if (!this.alive) {
      this.#meter.disconnected("silent");
      this.socket?.close();
      return;
    }
    this.alive = false;
    this.controlFrames = 0;
    this.socket?.ping();
  }
}
