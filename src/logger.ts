// The process's log: JSON lines, or readable ones on a terminal.
import { type Logger, pino, stdSerializers } from "pino";
import type { LogConfig } from "./config/config.ts";
import { type LineSink, ProgressLine, SparseProgress } from "./log-stream.ts";
import { systemClock } from "./model/clock.ts";

const { err } = stdSerializers;
/** Under whatever name an error is logged, its message, its stack and its causes are there. */
export const errorSerializers = { err, error: err, cause: err };

export async function createLogger({ level, format }: LogConfig): Promise<Logger> {
  const { isTTY } = process.stdout;
  const isReadable = format === "pretty" || (format === "auto" && isTTY);
  // Written synchronously: what was logged before a crash or an exit is not lost.
  const output = pino.destination({ sync: true });
  const lines = isReadable ? await readable(output) : output;
  const stream =
    isReadable && isTTY
      ? new ProgressLine(lines, output, () => process.stdout.columns)
      : new SparseProgress(lines, systemClock);
  return pino({ level, base: null, serializers: errorSerializers }, stream);
}

/**
 * Not the package's own stream, which writes a turn later. Loaded where it is wanted: a start
 * without a terminal does not wait for it.
 */
async function readable(output: LineSink): Promise<LineSink> {
  const { default: pretty } = await import("pino-pretty");
  const textOf = pretty.prettyFactory({
    ignore: "pid,hostname",
    translateTime: "SYS:HH:MM:ss.l",
  });
  return { write: (line) => output.write(textOf(line) ?? line) };
}
