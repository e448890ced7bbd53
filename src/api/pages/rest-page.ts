// The page of the REST API, from its endpoints and recorded examples.
import { CONVENTIONS, REST_CONVENTIONS } from "../about.ts";
import { ENDPOINTS, type Endpoint, TAGS } from "../endpoints.ts";
import type { Examples, RecordedAnswer } from "../examples.ts";
import { type Parameter, prettyPrint } from "../parameters.ts";
import { ref } from "../schema.ts";
import { schemasNeededBy } from "../schemas.ts";
import { type Html, html, inline, jsonBlock, markdown } from "./html.ts";
import { type NavGroup, pageText } from "./layout.ts";
import { memberView, schemaSections, typeView } from "./schema-view.ts";

export function restPage(examples: Examples): string {
  const schemas = schemasNeededBy([ENDPOINTS, ref("ApiError")]);
  const nav: NavGroup[] = Object.keys(TAGS).map((tag) => ({
    title: tag,
    links: ENDPOINTS.filter((endpoint) => endpoint.tag === tag).map(({ operationId, path }) => ({
      anchor: operationId,
      text: path,
    })),
  }));
  nav.push({
    title: "Types",
    links: Object.keys(schemas).map((name) => ({ anchor: name, text: name })),
  });
  const content = html`<h1>REST API</h1>
<p>Raw: <a href="../openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${[...CONVENTIONS, ...REST_CONVENTIONS].map((text) => html`<p>${inline(text)}</p>`)}
${Object.entries(TAGS).map(
  ([tag, description]) => html`<h2>${tag}</h2>
<p>${description}</p>
${ENDPOINTS.filter((endpoint) => endpoint.tag === tag).map((endpoint) =>
  endpointSection(endpoint, examples.answers[endpoint.operationId] ?? []),
)}`,
)}
<h2>Types</h2>
${schemaSections(schemas)}`;
  return pageText({ title: "REST API - Hopbook", below: true, current: "rest", nav, content });
}

function endpointSection(endpoint: Endpoint, examples: readonly RecordedAnswer[]): Html {
  const { operationId, path, summary, description, parameters, answer, errors } = endpoint;
  return html`<section class="endpoint" aria-labelledby="${operationId}">
<h3 id="${operationId}"><span class="method">GET</span> <code>${path}</code></h3>
<p class="summary">${inline(summary)}</p>
${markdown(description)}
<h4>Parameters</h4>
<dl>${[...parameters, prettyPrint].map(parameterView)}</dl>
<h4>Answers</h4>
<dl>
<dt><code class="name">200</code> <span class="type">${typeView(answer)}</span></dt><dd>${inline(answer.description ?? "")}</dd>
${errors.map(
  ({ status, when }) =>
    html`<dt><code class="name">${status}</code> <span class="type">${typeView(ref("ApiError"))}</span></dt><dd>${inline(when)}</dd>`,
)}
</dl>
${examples.map(exampleView)}
</section>`;
}

function parameterView(parameter: Parameter): Html {
  const { name, in: where, required, repeated, aliases = [], description, schema } = parameter;
  const remark = [
    where === "path" ? "in the path" : required ? "required" : "",
    repeated ? "may be repeated" : "",
    aliases.length === 0 ? "" : `also ${aliases.join(", ")}`,
  ].filter((text) => text !== "");
  return memberView(name, { ...schema, description }, remark.join(", "));
}

function exampleView({ summary, request, status, body }: RecordedAnswer): Html {
  return html`<details class="example"><summary>${status}: ${summary}</summary>
<pre tabindex="0" role="region" aria-label="Request"><code>GET ${request}</code></pre>
${jsonBlock(body, `Answer: ${summary}`)}
</details>`;
}
