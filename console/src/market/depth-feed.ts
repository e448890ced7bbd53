// The book of one market as the ladder and the cumulative chart show it, from the channel `depth`.
import type { Depth } from "../../../src/api/types.ts";
import type { Connection } from "../api/connection.ts";
import { Changes } from "../changes.ts";
import { movePoint } from "../number/decimal.ts";
import { type SummedLevel, summed } from "./depth-sums.ts";

export const BANDS = ["5", "20", "50", "100"] as const;
/** How much coarser than the automatic step: powers of ten. */
export const COARSER = [0, 1, 2, 3] as const;
const LEVELS_MAX = 200;

export type Book = {
  readonly body: Depth;
  readonly bids: readonly SummedLevel[];
  readonly asks: readonly SummedLevel[];
};

export class DepthFeed {
  readonly changes = new Changes();
  /** Undefined until the first answer. */
  book: Book | undefined;
  error: string | undefined;
  band: string = "20";
  coarser = 0;
  readonly #connection: Connection;
  readonly #market: string;
  /** The step that the engine chooses by itself; undefined before an answer, or without orders. */
  automaticStep: string | undefined;
  #end: () => void = () => undefined;

  constructor(connection: Connection, market: string) {
    this.#connection = connection;
    this.#market = market;
    this.#subscribe();
  }

  setBand(band: string): void {
    this.band = band;
    this.#subscribe();
  }

  setCoarser(coarser: number): void {
    this.coarser = coarser;
    this.#subscribe();
  }

  close(): void {
    this.#end();
  }

  #subscribe(): void {
    this.#end();
    this.error = undefined;
    const step =
      this.coarser === 0 || this.automaticStep === undefined
        ? undefined
        : movePoint(this.automaticStep, this.coarser);
    this.#end = this.#connection.subscribe(
      {
        channel: "depth",
        market: this.#market,
        depth: this.band,
        limit: LEVELS_MAX,
        ...(step === undefined ? {} : { step }),
      },
      {
        message: ({ data: body }) => {
          if (step === undefined && body.step !== null) this.automaticStep = body.step;
          this.error = undefined;
          this.book = { body, bids: summed(body.bids), asks: summed(body.asks) };
          this.changes.tell();
        },
        refused: (error) => {
          this.error = error;
          this.changes.tell();
        },
      },
    );
  }
}
