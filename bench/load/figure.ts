// What a load run is summed up in, and what runs are compared by.
import type { Machine } from "../process-figures.ts";

export type LoadFigure = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Which way is better; `neither`: shown, and not judged. */
  readonly better: "lower" | "higher" | "neither";
  /** The same figure of parts of the run: how far they differ is its noise. */
  readonly slices?: readonly number[];
};

export type LoadSettings = {
  readonly scale: string;
  readonly rate: number;
  readonly connections: number;
  readonly websockets: number;
  readonly seconds: number;
};

export type LoadReport = {
  readonly kind: "load";
  /** ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
  readonly settings: LoadSettings;
  /** The mix in words. */
  readonly mix: string;
  readonly figures: readonly LoadFigure[];
  /** Answers by status, and requests without one by reason. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** By status and endpoint, what no request should get. */
  readonly wrong: Readonly<Record<string, number>>;
};

/** The figure that tells how late the driver itself was. */
export const DRIVER_DELAY = "driver's own delay, longest";

export function numberText(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
