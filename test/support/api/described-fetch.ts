// fetch for tests: every answer of the API is checked against its description on the way.
import { checkAnswer } from "./conformance.ts";

/** As `fetch`; rejects with an AssertionError where the answer is not as described. */
export async function describedFetch(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if ((init?.method ?? "GET") !== "GET") return response;
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  checkAnswer({
    target: url.slice(new URL(url).origin.length),
    status,
    contentType: headers.get("content-type") ?? "",
    text: bytes.toString(),
  });
  // Read once and made anew: clone() and two reads cost more than the request.
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}
