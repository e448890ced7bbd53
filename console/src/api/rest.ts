// Asks the REST API, beside whose path the page lies.

/** After this an engine that has not answered counts as unreachable. */
const ANSWER_MS_MAX = 15_000;

/** A failed request, with a message for people. `status` is 0 where there was no answer. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `/` of the API: behind a proxy it may have a path of its own. */
export function apiUrl(path: string, page: string = location.href): URL {
  return new URL(path.replace(/^\//, "./"), new URL(".", page));
}

/** The push endpoint beside it. */
export function pushUrl(page: string = location.href): URL {
  const url = apiUrl("/ws", page);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}

export type Parameters = Readonly<Record<string, string | number | readonly string[]>>;

/** The caller names the answer's shape. Rejects with a RequestError, or as `signal` says. */
export async function ask<Body>(
  path: string,
  parameters: Parameters = {},
  signal?: AbortSignal,
): Promise<Body> {
  const url = apiUrl(path);
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, String(one));
    }
  }
  const timeout = AbortSignal.timeout(ANSWER_MS_MAX);
  const signals = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  let answer: Response;
  try {
    answer = await fetch(url, { signal: signals, headers: { Accept: "application/json" } });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestError(0, "The engine does not answer.");
  }
  if (answer.ok) return (await answer.json()) as Body;
  throw new RequestError(answer.status, await errorText(answer));
}

async function errorText(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const body = JSON.parse(text) as { readonly error?: unknown };
    if (typeof body.error === "string") return body.error;
  } catch {
    // Not JSON: the text itself says it.
  }
  return text === "" ? `The engine answered ${answer.status}.` : text;
}
