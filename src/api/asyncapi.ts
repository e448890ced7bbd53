// The AsyncAPI 3.0 document of the push API.
import { API_VERSION, CONVENTIONS, LICENSE, PUSH_CONVENTIONS, PUSH_ERROR_TABLE } from "./about.ts";
import { CHANNELS, type PushChannel } from "./channels.ts";
import type { Examples } from "./examples.ts";
import type { Schema } from "./schema.ts";
import { allSchemas, schemasNeededBy } from "./schemas.ts";

/** All channels share one connection. */
const ADDRESS = "/ws";
/** Messages that belong to no channel of the API. */
const CONNECTION = {
  requests: ["PingRequest"],
  answers: ["Pong", "PushError", "Unsubscribed"],
} as const;

export function asyncApiDocument(examples: Examples) {
  const messageNames = [
    ...CHANNELS.flatMap(({ request, snapshot, updates }) => [request, snapshot, ...updates]),
    ...CONNECTION.requests,
    ...CONNECTION.answers,
  ];
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Hopbook push API",
      version: API_VERSION,
      description: [...CONVENTIONS, ...PUSH_CONVENTIONS].join("\n\n"),
      license: { name: LICENSE.name },
    },
    defaultContentType: "application/json",
    servers: {
      engine: {
        host: "localhost:8080",
        protocol: "ws",
        description: "The engine, on the port of its REST API.",
      },
    },
    channels: {
      connection: {
        address: ADDRESS,
        title: "connection",
        description: `What belongs to the connection: heartbeat, errors, ends of subscriptions.\n\n${PUSH_ERROR_TABLE}`,
        messages: messageRefs([...CONNECTION.requests, ...CONNECTION.answers]),
      },
      ...Object.fromEntries(CHANNELS.map((channel) => [channel.name, channelObject(channel)])),
    },
    operations: Object.assign({}, pingOperation(), ...CHANNELS.map(channelOperations)) as Record<
      string,
      unknown
    >,
    components: {
      messages: Object.fromEntries(
        [...new Set(messageNames)].map((name) => [name, messageObject(name, examples)]),
      ),
      schemas: schemasNeededBy(
        messageNames.map((name) => ({ $ref: `#/components/schemas/${name}` })),
      ),
    },
  };
}

function channelObject({
  name,
  summary,
  description,
  topic,
  request,
  snapshot,
  updates,
}: PushChannel) {
  return {
    address: ADDRESS,
    title: name,
    summary,
    description: `${description}\n\nTopic: \`${topic}\`.`,
    messages: messageRefs([request, snapshot, ...updates]),
  };
}

function messageRefs(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

/** AsyncAPI tells what the server does: it receives requests and sends the rest. */
function channelOperations(channel: PushChannel) {
  const { name, summary, request, snapshot, updates } = channel;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const inChannel = (message: string) => ({ $ref: `#/channels/${name}/messages/${message}` });
  const inConnection = (message: string) => ({ $ref: `#/channels/connection/messages/${message}` });
  return {
    [`receive${title}Request`]: {
      action: "receive",
      channel: { $ref: `#/channels/${name}` },
      title: `Subscribe and unsubscribe: ${name}`,
      summary,
      messages: [inChannel(request)],
    },
    [`answer${title}Request`]: {
      action: "send",
      channel: { $ref: `#/channels/${name}` },
      title: `Snapshot: ${name}`,
      messages: [inChannel(snapshot)],
    },
    [`end${title}Request`]: {
      action: "send",
      channel: { $ref: "#/channels/connection" },
      title: `Unsubscribed or refused: ${name}`,
      messages: [inConnection("Unsubscribed"), inConnection("PushError")],
    },
    [`send${title}Updates`]: {
      action: "send",
      channel: { $ref: `#/channels/${name}` },
      title: `Updates: ${name}`,
      messages: updates.map(inChannel),
    },
  };
}

function pingOperation() {
  const inConnection = (message: string) => ({ $ref: `#/channels/connection/messages/${message}` });
  return {
    receivePing: {
      action: "receive",
      channel: { $ref: "#/channels/connection" },
      title: "Heartbeat",
      messages: [inConnection("PingRequest")],
      reply: {
        channel: { $ref: "#/channels/connection" },
        messages: [inConnection("Pong")],
      },
    },
  };
}

function messageObject(name: string, examples: Examples) {
  const schema: Schema | undefined = allSchemas[name];
  if (schema === undefined) throw new Error(`no schema ${name}`);
  const recorded = Object.values(examples.messages)
    .flat()
    .filter((example) => example.schema === name);
  return {
    name,
    title: name,
    ...(schema.description === undefined ? {} : { summary: schema.description }),
    contentType: "application/json",
    payload: { $ref: `#/components/schemas/${name}` },
    ...(recorded.length === 0
      ? {}
      : {
          examples: recorded.map(({ summary, message }) => ({ name, summary, payload: message })),
        }),
  };
}
