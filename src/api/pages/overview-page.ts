// The overview page, which links to the other pages.
import { CONVENTIONS } from "../about.ts";
import { CHANNELS } from "../channels.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { html, inline } from "./html.ts";
import { pageText } from "./layout.ts";

const TYPES_EXAMPLE = `import type { PushMessage, Quote } from "hopbook/api";

const answer = await fetch("http://localhost:8080/quote?...");
const quote = (await answer.json()) as Quote;
if (quote.status === "success") console.log(quote.paths[0]?.bought);`;

export function overviewPage(): string {
  const content = html`<h1>The API</h1>
<p>Quotes, market data, orders and history over <a href="api/rest">REST</a>, and the same as it changes over
<a href="api/push">one WebSocket connection</a>. The pages are made from the documents
<a href="openapi.json">openapi.json</a> (OpenAPI 3.1) and <a href="asyncapi.json">asyncapi.json</a>
(AsyncAPI 3.0), which tests hold every answer and message to.</p>
${CONVENTIONS.map((text) => html`<p>${inline(text)}</p>`)}
<h2>Endpoints</h2>
<dl>${ENDPOINTS.map(
    ({ path, operationId, summary }) =>
      html`<dt><a href="api/rest#${operationId}"><code>${path}</code></a></dt><dd>${summary}</dd>`,
  )}</dl>
<h2>Channels</h2>
<dl>${CHANNELS.map(
    ({ name, summary }) =>
      html`<dt><a href="api/push#channel-${name}"><code>${name}</code></a></dt><dd>${summary}</dd>`,
  )}</dl>
<h2>Types</h2>
<p>The package exports the type of every answer and message.</p>
<pre tabindex="0" role="region" aria-label="Types in use"><code>${TYPES_EXAMPLE}</code></pre>`;
  return pageText({ title: "API - Hopbook", below: false, current: "overview", nav: [], content });
}
