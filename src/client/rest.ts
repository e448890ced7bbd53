// One GET request of the API, typed by its path, tried again where that may help.
import type { Answers, ApiError, Parameters } from "../api/types.ts";
import { messageOf } from "../model/thrown.ts";

const TRIES_MAX = 6;
const FIRST_WAIT_MS = 500;
/** An answer that takes longer is taken for none (choice). */
const ANSWER_MS_MAX = 10_000;
/** The service is starting, busy, or asks for fewer requests. */
const WORTH_WAITING = new Set([409, 429, 503]);

/** `status`: of the answer; 0 where there was none. The message says what the service answered. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

export type GetOptions = {
  /** What stands for the braces of a path: an order's id, an account's address. */
  readonly segment?: string;
  /** Times that a request is made which failed for what passes: 1 to 6, 6 by default. */
  readonly tries?: number;
  readonly signal?: AbortSignal;
};

/**
 * `url`: the service's base URL. Rejects with a RequestError, or with the signal's reason. Waits longer
 * before each further try, some 15 s in all.
 */
export async function get<Path extends keyof Answers>(
  url: string,
  path: Path,
  parameters: Parameters[Path],
  { segment = "", tries = TRIES_MAX, signal }: GetOptions = {},
): Promise<Answers[Path]> {
  const filled = path.replace(/\{[a-z]+\}/, encodeURIComponent(segment));
  const address = new URL(`${url.replace(/\/+$/, "")}${filled}`);
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) address.searchParams.append(name, String(one));
    }
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await getOnce(address, signal)) as Answers[Path];
    } catch (error) {
      const isPassing =
        error instanceof RequestError && (error.status === 0 || WORTH_WAITING.has(error.status));
      if (!isPassing || attempt >= Math.min(tries, TRIES_MAX)) throw error;
    }
    await pause(FIRST_WAIT_MS * 2 ** (attempt - 1), signal);
  }
}

async function getOnce(address: URL, signal: AbortSignal | undefined): Promise<unknown> {
  const timeout = AbortSignal.timeout(ANSWER_MS_MAX);
  const signals = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  let status = 0;
  try {
    const answer = await fetch(address, {
      signal: signals,
      headers: { Accept: "application/json" },
    });
    status = answer.status;
    if (answer.ok) return await answer.json();
    throw new RequestError(status, errorText(await answer.text(), status));
  } catch (error) {
    if (error instanceof RequestError || signal?.aborted) throw error;
    throw new RequestError(0, `${address.origin} does not answer: ${messageOf(error)}`, error);
  }
}

/** Not every answer is the API's own: a proxy's may be of any form. */
function errorText(body: string, status: number): string {
  try {
    const { error } = JSON.parse(body) as Partial<ApiError>;
    if (typeof error === "string") return error;
  } catch {
    // Not JSON: the text itself says it.
  }
  return body === "" ? `the service answered ${status}` : body.slice(0, 200);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}
