// The two services that verify asks: JSON over HTTP with a time limit, nothing trusted.

const TIMEOUT_MS = 30_000;

/** Throws an Error that names the URL where the service cannot be reached or answers no JSON. */
export async function loadJson(
  url: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const init =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, json: await response.json() };
  } catch (cause) {
    throw new Error(`no JSON from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** fetch hides what went wrong on the network in the error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
