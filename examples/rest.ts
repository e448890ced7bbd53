// One GET request, tried again where that may help.
import { setTimeout as delay } from "node:timers/promises";
import type { Answers, ApiError, Parameters } from "hopbook/api";

const TRIES_MAX = 6;
const FIRST_WAIT_MS = 500;
/** The service is starting, busy, or asks for fewer requests. */
const WORTH_WAITING = new Set([409, 429, 503]);

/** Rejects with an Error that says what the service answered. */
export async function get<Path extends keyof Answers>(
  url: string,
  path: Path,
  parameters: Parameters[Path],
): Promise<Answers[Path]> {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([key, value]): [string, string] => [key, `${value}`]),
  );
  for (let attempt = 1; ; attempt += 1) {
    let problem: string;
    try {
      const response = await fetch(`${url}${path}?${query}`, {
        signal: AbortSignal.timeout(10_000),
      });
      if (response.ok) return (await response.json()) as Answers[Path];
      problem = ((await response.json()) as ApiError).error;
      if (!WORTH_WAITING.has(response.status)) throw new Rejection(problem);
    } catch (error) {
      if (error instanceof Rejection) throw error;
      problem = `${url} does not answer: ${error instanceof Error ? error.message : error}`;
    }
    if (attempt === TRIES_MAX) throw new Error(problem);
    await delay(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}

/** An answer that would be the same again. */
class Rejection extends Error {}
