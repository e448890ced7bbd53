// The description against a real run: nothing is answered that it does not know, it knows nothing
// that does not come, and what it says of parameters holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asyncApiDocument } from "../../src/api/asyncapi.ts";
import { CHANNELS } from "../../src/api/channels.ts";
import { ENDPOINTS, type Endpoint } from "../../src/api/endpoints.ts";
import { readExamples } from "../../src/api/examples.ts";
import type { Parameter } from "../../src/api/parameters.ts";
import type { Row } from "../e2e/api-client.ts";
import { checkAnswer, checkMessage, NO_EXAMPLES, seen } from "../support/api/conformance.ts";
import { describedFetch } from "../support/api/described-fetch.ts";
import { recordRun } from "./recorded-run.ts";
import type { RecordedWorld } from "./recording.ts";

test("a run over every endpoint, error, channel and message is as described", async () => {
  const recorded = await recordRun(async (world) => {
    await checkCommonAnswers(world);
    for (const endpoint of ENDPOINTS) await checkParameters(world, endpoint);
  });
  const kept = readExamples();
  for (const kind of ["answers", "messages"] as const) {
    assert.deepEqual(
      Object.keys(kept[kind]).sort(),
      Object.keys(recorded[kind]).sort(),
      "npm run record-examples renews the examples",
    );
  }
  for (const { operationId, errors } of ENDPOINTS) {
    for (const status of [200, ...errors.map((error) => error.status)]) {
      assert.ok(seen.has(`${operationId} ${status}`), `${operationId} never answered ${status}`);
    }
  }
  const messages = Object.keys(asyncApiDocument(NO_EXAMPLES).components.messages);
  const unseen = messages.filter((name) => !seen.has(name));
  assert.deepEqual(unseen, []);
});

test("the recorded examples are as described", () => {
  const { answers, messages } = readExamples();
  for (const { request, status, body } of Object.values(answers).flat()) {
    const text = JSON.stringify(body);
    checkAnswer({ target: request, status, contentType: "application/json", text });
  }
  for (const { schema, message } of Object.values(messages).flat()) checkMessage(schema, message);
  for (const { operationId } of ENDPOINTS) assert.ok(answers[operationId]?.length, operationId);
  for (const { name } of CHANNELS) assert.ok(messages[name]?.length, name);
});

async function checkCommonAnswers({ recording }: RecordedWorld): Promise<void> {
  const statusOf = async (path: string) => (await describedFetch(recording.url + path)).status;
  assert.equal(await statusOf("/ws"), 426);
  assert.equal(await statusOf(`/order?owner=${"x".repeat(3300)}`), 414);
  assert.equal(await statusOf("/orders"), 404);
}

/** Aliases, defaults, limits, patterns and what is required. */
async function checkParameters({ recording }: RecordedWorld, endpoint: Endpoint): Promise<void> {
  const example = readExamples().answers[endpoint.operationId]?.find(
    ({ status }) => status === 200,
  );
  assert.ok(example !== undefined, endpoint.path);
  const ask = async (change: (query: URLSearchParams) => void) => {
    const url = new URL(example.request, recording.url);
    change(url.searchParams);
    const response = await describedFetch(url.href);
    const body: Row = await response.json();
    // Every quote has an id of its own.
    return { status: response.status, body: { ...body, id: undefined } };
  };
  const asIs = await ask(() => undefined);
  assert.equal(asIs.status, 200, example.request);
  for (const parameter of endpoint.parameters) {
    if (parameter.in === "path") continue;
    const { name, required, aliases = [], schema } = parameter;
    const what = `${name} of ${endpoint.path}`;
    if (required) {
      const { status } = await ask((query) => query.delete(name));
      assert.equal(status, 400, `${what} is required`);
    }
    for (const alias of aliases) {
      const rename = (query: URLSearchParams) => {
        const value = query.get(name);
        if (value === null) return;
        query.delete(name);
        query.set(alias, value);
      };
      assert.deepEqual(await ask(rename), asIs, `${what}: alias ${alias}`);
    }
    if (schema.default !== undefined) {
      const left = await ask((query) => query.delete(name));
      const given = await ask((query) => query.set(name, String(schema.default)));
      assert.deepEqual(given, left, `${what}: default ${schema.default}`);
    }
    for (const wrong of wrongValues(parameter)) {
      const { status } = await ask((query) => query.set(name, wrong));
      assert.equal(status, 400, `${what}: ${wrong}`);
    }
  }
}

/** Values that the schema forbids; none where the API falls back or compares as given. */
function wrongValues({ name, description, schema, in: where }: Parameter): readonly string[] {
  const lenient = /counts as|is the default|Compared as given|Only (orders|fills|failures with)/;
  if (where === "path" || lenient.test(description)) return [];
  const values: string[] = [];
  const { minimum, maximum, exclusiveMinimum, pattern, $ref } = schema;
  if (minimum !== undefined && minimum > 0) values.push(String(minimum - 1));
  if (maximum !== undefined) values.push(String(maximum + 1));
  if (exclusiveMinimum !== undefined) values.push(String(exclusiveMinimum));
  if (schema.enum !== undefined || $ref !== undefined) values.push("other");
  if (schema.type === "integer" || schema.type === "number") values.push("x", "-1", "1e1");
  if (pattern !== undefined) {
    assert.ok(!new RegExp(pattern).test("-"), name);
    values.push("-");
  }
  return values;
}
