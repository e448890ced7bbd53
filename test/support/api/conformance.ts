// Checks answers and messages against the documents as they are published, but stricter: a member
// that no schema knows fails, though clients are told that answers may gain members.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { asyncApiDocument } from "../../../src/api/asyncapi.ts";
import type { Examples } from "../../../src/api/examples.ts";
import { openApiDocument } from "../../../src/api/openapi.ts";

/** An answer to a GET request. */
export type Answer = {
  /** Path and query as sent. */
  readonly target: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
};

// biome-ignore lint/suspicious/noExplicitAny: documents are walked as the JSON they are.
type Json = any;

const LISTENER_STATUSES: ReadonlySet<number> = new Set([414, 429, 503]);
const UNKNOWN_PATH = { status: 404, text: "API endpoint was not found" };
/** The site beside the API has files of its own. */
const SITE = /^\/console(\/|$)/;

/** The documents without what was recorded. */
export const NO_EXAMPLES: Examples = { answers: {}, messages: {} };

const openApi: Json = openApiDocument(NO_EXAMPLES);
const asyncApi: Json = asyncApiDocument(NO_EXAMPLES);
const openApiSchemas = validatorOf("openapi", openApi);
const asyncApiSchemas = validatorOf("asyncapi", asyncApi);

/** What was checked: `operation status` of answers and the schemas of messages. */
export const seen = new Set<string>();

/** Answers found as described: operation and status by digest of the body; not checked again. */
const texts = new Map<string, string>();

/** Throws an AssertionError where the documents do not know the answer as it is. */
export function checkAnswer(answer: Answer): void {
  const { target, status, contentType, text } = answer;
  const path = target.replace(/[?#].*$/s, "");
  if (SITE.test(path)) return;
  const known = operationOf(path);
  // The listener's limits are there before it is looked where a path leads.
  const operation = known ?? (LISTENER_STATUSES.has(status) ? openApi.paths["/"].get : undefined);
  const shown = `GET ${target}: ${status} ${text.slice(0, 500)}`;
  if (operation === undefined) {
    assert.deepEqual({ status, text }, UNKNOWN_PATH, `unknown path: ${shown}`);
    return;
  }
  const named = operation.responses[String(status)];
  assert.ok(named !== undefined, `a status that is not documented: ${shown}`);
  const response = "$ref" in named ? pointed(openApi, named.$ref) : named;
  if (response.content === undefined) {
    assert.equal(text, "", `a body is not documented: ${shown}`);
    return;
  }
  const content = response.content[contentType];
  assert.ok(content !== undefined, `content type ${contentType} is not documented: ${shown}`);
  const name = `${operation.operationId} ${status}`;
  const digest = createHash("sha1").update(text).digest("base64");
  if (texts.get(digest) === name) return;
  const validate = openApiSchemas(content.schema);
  assert.ok(
    validate(JSON.parse(text)),
    `${shown}\nis not as described: ${JSON.stringify(validate.errors)}`,
  );
  texts.set(digest, name);
  seen.add(name);
}

/** The name of the schema that a message of the server has. Throws an AssertionError without one. */
export function checkPushMessage(message: unknown): string {
  return checkOneOf("PushMessage", message, "type");
}

/** The same of a message of a client. */
export function checkClientMessage(message: unknown): string {
  return checkOneOf("ClientMessage", message, "channel");
}

/** Throws an AssertionError where the message does not have the schema of that name. */
export function checkMessage(name: string, message: unknown): void {
  const validate = asyncApiSchemas({ $ref: `#/components/schemas/${name}` });
  assert.ok(validate(message), `no ${name}: ${JSON.stringify(validate.errors)}`);
  seen.add(name);
}

function checkOneOf(union: string, message: unknown, discriminator: string): string {
  const names: readonly string[] = Object.keys(asyncApi.components.messages);
  const faults: unknown[] = [];
  const value = (message as Json)?.[discriminator];
  for (const name of names) {
    const { properties } = asyncApi.components.schemas[name];
    const isClients = "op" in properties;
    if (isClients !== (union === "ClientMessage")) continue;
    if (properties[discriminator]?.const !== value) continue;
    const validate = asyncApiSchemas({ $ref: `#/components/schemas/${name}` });
    if (validate(message)) {
      seen.add(name);
      return name;
    }
    faults.push(name, validate.errors);
  }
  return assert.fail(
    `a message that is not described: ${JSON.stringify(message).slice(0, 2000)}\n${JSON.stringify(faults)}`,
  );
}

function operationOf(path: string): Json {
  for (const [template, item] of Object.entries<Json>(openApi.paths)) {
    const pattern = `^${template.replaceAll(/\{[a-z]+\}/g, "[^/]+")}$`;
    if (new RegExp(pattern).test(path)) return item.get;
  }
  return undefined;
}

function pointed(document: Json, pointer: string): Json {
  return pointer
    .slice(2)
    .split("/")
    .reduce((value: Json, name) => value[name], document);
}

/**
 * Compiles schemas of a document, whose references lead into it. That they are valid schemas is tested once, with the
 * documents.
 */
function validatorOf(id: string, document: Json): (schema: Json) => ValidateFunction {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    validateSchema: false,
  });
  ajv.addVocabulary(["components"]);
  ajv.addSchema({ $id: id, components: { schemas: closed(document.components.schemas) } });
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/', `"${id}#/`);
    let validate = compiled.get(text);
    if (validate === undefined) {
      validate = ajv.compile(closed(JSON.parse(text)));
      compiled.set(text, validate);
    }
    return validate;
  };
}

/** The schema with every object closed to members it does not name. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  const isOpen = schema.type === "object" && "properties" in schema;
  return isOpen ? { ...members, additionalProperties: false } : members;
}
