// The OpenAPI 3.1 document of the REST API.
import { API_VERSION, CONVENTIONS, LICENSE, REST_CONVENTIONS } from "./about.ts";
import { ENDPOINTS, type Endpoint, TAGS } from "./endpoints.ts";
import type { Examples, RecordedAnswer } from "./examples.ts";
import { type Parameter, prettyPrint } from "./parameters.ts";
import { ref, type Schema } from "./schema.ts";
import { schemasNeededBy } from "./schemas.ts";

const JSON_TYPE = "application/json";
const OPEN_CORS = {
  "Access-Control-Allow-Origin": { $ref: "#/components/headers/AccessControlAllowOrigin" },
};

/** Answers that every endpoint can give. */
const COMMON_ANSWERS = {
  "414": { $ref: "#/components/responses/UriTooLong" },
  "429": { $ref: "#/components/responses/TooManyRequests" },
  "431": { $ref: "#/components/responses/HeadersTooLarge" },
  "500": { $ref: "#/components/responses/InternalError" },
  "503": { $ref: "#/components/responses/Overloaded" },
} as const;

export function openApiDocument(examples: Examples) {
  const paths = Object.fromEntries(
    ENDPOINTS.map((endpoint) => [
      endpoint.path,
      { get: operation(endpoint, examples.answers[endpoint.operationId] ?? []) },
    ]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Hopbook REST API",
      version: API_VERSION,
      summary: "Quotes, market data, orders and history of an on-chain limit-order exchange.",
      description: [...CONVENTIONS, ...REST_CONVENTIONS].join("\n\n"),
      license: LICENSE,
    },
    servers: [{ url: "/", description: "The engine that serves this document." }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, "/ws": { get: pushOperation() } },
    components: {
      schemas: schemasNeededBy([ENDPOINTS, ref("ApiError")]),
      parameters: { PrettyPrint: parameterObject(prettyPrint) },
      headers: {
        AccessControlAllowOrigin: {
          description: "CORS is open.",
          schema: { type: "string", const: "*" },
        },
      },
      responses: {
        UriTooLong: errorResponse("Path and query are longer than 3,200 bytes."),
        TooManyRequests: {
          ...errorResponse(
            "A limit of requests or connections of one address; the message names it. Off unless configured.",
          ),
          headers: {
            ...OPEN_CORS,
            "Retry-After": {
              description:
                "Seconds until the next request is answered; with the limit of requests.",
              schema: { type: "integer", minimum: 1 },
            },
          },
        },
        Overloaded: errorResponse(
          "A limit of connections or of waiting requests; the message names it. Try again a little later.",
        ),
        HeadersTooLarge: {
          description: "Request line and headers are longer than 8 KiB. Not JSON.",
          content: { "text/html": { schema: { type: "string" } } },
        },
        InternalError: errorResponse("Internal error; the message is `Internal server error`."),
      },
    },
  };
}

function operation(endpoint: Endpoint, examples: readonly RecordedAnswer[]) {
  const { operationId, tag, summary, description, parameters, answer, errors } = endpoint;
  const withStatus = (status: number) => examples.filter((example) => example.status === status);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    parameters: [
      ...parameters.map(parameterObject),
      { $ref: "#/components/parameters/PrettyPrint" },
    ],
    responses: {
      "200": response("The answer.", answer, withStatus(200)),
      ...Object.fromEntries(
        errors.map(({ status, when }) => [String(status), errorResponse(when, withStatus(status))]),
      ),
      ...(endpoint.isTagged === true ? { "304": NOT_MODIFIED } : {}),
      ...COMMON_ANSWERS,
    },
  };
}

const NOT_MODIFIED = {
  description:
    "`If-None-Match` names the `ETag` of the answer: it is the one the client has. No body.",
  headers: OPEN_CORS,
};

function parameterObject(parameter: Parameter) {
  const { name, in: where, required, aliases, repeated, description, schema } = parameter;
  const text =
    aliases === undefined
      ? description
      : `${description} Aliases: ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`;
  return {
    name,
    in: where,
    description: text,
    ...(required ? { required } : {}),
    ...(repeated
      ? { style: "form", explode: true, schema: { type: "array", items: schema } }
      : { schema }),
    ...(name === prettyPrint.name ? { allowEmptyValue: true } : {}),
    ...(aliases === undefined ? {} : { "x-aliases": aliases }),
  };
}

function response(description: string, schema: Schema, examples: readonly RecordedAnswer[]) {
  return {
    description,
    headers: OPEN_CORS,
    content: {
      [JSON_TYPE]: {
        schema,
        ...(examples.length === 0
          ? {}
          : {
              examples: Object.fromEntries(examples.map((one) => [one.name, exampleObject(one)])),
            }),
      },
    },
  };
}

function errorResponse(description: string, examples: readonly RecordedAnswer[] = []) {
  return response(description, ref("ApiError"), examples);
}

function exampleObject({ summary, request, body }: RecordedAnswer) {
  return { summary, description: `GET ${request}`, value: body };
}

function pushOperation() {
  return {
    operationId: "connectPush",
    tags: ["Service"],
    summary: "The push API's WebSocket",
    description:
      "An upgrade to WebSocket (version 13) opens a push connection; the AsyncAPI document tells what is said on it.",
    responses: {
      "101": { description: "The connection is a WebSocket from here on." },
      "400": errorResponse("The upgrade is not one of WebSocket version 13."),
      "426": errorResponse("No upgrade was asked for."),
      ...COMMON_ANSWERS,
    },
  };
}
