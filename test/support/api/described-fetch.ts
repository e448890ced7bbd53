// fetch for tests: every answer of the API is checked against its description on the way.
import { checkAnswer } from "./conformance.ts";

/** As `fetch`; rejects with an AssertionError where the answer is not as described. */
export async function describedFetch(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if ((init?.method ?? "GET") === "GET") {
    checkAnswer({
      target: url.slice(new URL(url).origin.length),
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      text: await response.clone().text(),
    });
  }
  return response;
}
