// The page of the push API, from its channels and recorded examples.
import { CONVENTIONS, PUSH_CONVENTIONS, PUSH_ERROR_TABLE } from "../about.ts";
import { CHANNELS, type PushChannel } from "../channels.ts";
import type { Examples, RecordedMessage } from "../examples.ts";
import { allSchemas, messageSchemas, schemasNeededBy } from "../schemas.ts";
import { type Html, html, inline, jsonBlock, markdown } from "./html.ts";
import { pageText } from "./layout.ts";
import { memberView, schemaSection, schemaSections } from "./schema-view.ts";

const CONNECTION_SCHEMAS = ["PingRequest", "Pong", "Unsubscribed", "PushError"];

export function pushPage(examples: Examples): string {
  const needed = schemasNeededBy(Object.values(messageSchemas));
  const values = Object.fromEntries(
    Object.entries(needed).filter(([name]) => !(name in messageSchemas) || name === "OrderFill"),
  );
  const nav = [
    {
      title: "Channels",
      links: [...CHANNELS.map(({ name }) => name), "connection"].map((name) => ({
        anchor: `channel-${name}`,
        text: name,
      })),
    },
    {
      title: "Types",
      links: Object.keys(values).map((name) => ({ anchor: name, text: name })),
    },
  ];
  const content = html`<h1>Push API</h1>
<p>WebSocket at <code>/ws</code>. Raw: <a href="../asyncapi.json">asyncapi.json</a> (AsyncAPI 3.0).</p>
${[...CONVENTIONS, ...PUSH_CONVENTIONS].map((text) => html`<p>${inline(text)}</p>`)}
<h2>Channels</h2>
${CHANNELS.map((channel) => channelSection(channel, examples.messages[channel.name] ?? []))}
<section class="endpoint" aria-labelledby="channel-connection">
<h3 id="channel-connection">Connection</h3>
<p class="summary">Heartbeat, errors and ends of subscriptions: what belongs to no channel.</p>
${markdown(PUSH_ERROR_TABLE)}
${messages(CONNECTION_SCHEMAS, examples.messages.connection ?? [])}
</section>
<h2>Types</h2>
${schemaSections(values)}`;
  return pageText({ title: "Push API - Hopbook", below: true, current: "push", nav, content });
}

function channelSection(channel: PushChannel, examples: readonly RecordedMessage[]): Html {
  const { name, summary, description, topic, parameters, request, snapshot, updates } = channel;
  const anchor = `channel-${name}`;
  return html`<section class="endpoint" aria-labelledby="${anchor}">
<h3 id="${anchor}">Channel <code>${name}</code></h3>
<p class="summary">${inline(summary)}</p>
${markdown(description)}
<p>Topic: <code>${topic}</code></p>
${
  parameters.length === 0
    ? html`<p>No parameters.</p>`
    : html`<h4>Parameters</h4><dl>${parameters.map(
        ({ name: parameter, required, description: text, schema }) =>
          memberView(parameter, { ...schema, description: text }, required ? "required" : ""),
      )}</dl>`
}
${messages([...new Set([request, snapshot, ...updates])], examples)}
</section>`;
}

/** Each message with its members and what was recorded of it. */
function messages(names: readonly string[], examples: readonly RecordedMessage[]): Html {
  return html`${names.map((name) => {
    const schema = allSchemas[name];
    if (schema === undefined) throw new Error(`no schema ${name}`);
    const recorded = examples.filter((example) => example.schema === name);
    return html`<div class="message">${schemaSection(name, schema)}
${recorded.map(
  ({ summary, message }) => html`<details class="example"><summary>${summary}</summary>
${jsonBlock(message, summary)}
</details>`,
)}</div>`;
  })}`;
}
