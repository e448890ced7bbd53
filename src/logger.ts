// The process's log: JSON lines, or readable ones on a terminal.
import { type Logger, pino } from "pino";
import pretty from "pino-pretty";
import type { LogConfig } from "./config/config.ts";

export function createLogger({ level, format }: LogConfig): Logger {
  const readable = format === "pretty" || (format === "auto" && process.stdout.isTTY);
  // Written synchronously: what was logged before a crash or an exit is not lost.
  const stream = readable
    ? pretty({ sync: true, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss.l" })
    : pino.destination({ sync: true });
  return pino({ level, base: null }, stream);
}
