/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The part of a pino logger that is told of what was thrown. */
export type ErrorLog = { error(fields: object, message: string): void };
