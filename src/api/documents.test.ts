import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { Ajv, type AnySchema } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { asyncApiDocument } from "./asyncapi.ts";
import { readExamples } from "./examples.ts";
import { openApiDocument } from "./openapi.ts";
import { allSchemas } from "./schemas.ts";
import { typesModule } from "./typescript.ts";

const examples = readExamples();
const openApi = openApiDocument(examples);
const asyncApi = asyncApiDocument(examples);

function metaSchema(name: string): AnySchema {
  const file = new URL(`../../../test/fixtures/api/${name}.schema.json.gz`, import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString());
}

function assertMatches(ajv: Ajv | Ajv2020, schema: AnySchema, document: unknown): void {
  const validate = ajv.compile(schema);
  // As JSON, where a member that is undefined is none.
  const valid = validate(JSON.parse(JSON.stringify(document)));
  assert.ok(valid, JSON.stringify(validate.errors?.slice(0, 10), null, 1));
}

/** Every `$ref` of a document. */
function references(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" && typeof member === "string" ? [member] : references(member),
  );
}

function resolve(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (value, name) =>
        (value as Record<string, unknown> | undefined)?.[
          name.replaceAll("~1", "/").replaceAll("~0", "~")
        ],
      document,
    );
}

describe("documents", () => {
  it("are valid OpenAPI 3.1", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    assertMatches(ajv, metaSchema("openapi-3.1"), openApi);
    const broken = { ...openApi, paths: { "/": { get: { parameters: [{ name: "x" }] } } } };
    assert.throws(() => assertMatches(ajv, metaSchema("openapi-3.1"), broken));
  });

  it("are valid AsyncAPI 3.0", () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    assertMatches(ajv, metaSchema("asyncapi-3.0.0"), asyncApi);
    const broken = { ...asyncApi, operations: { ping: { action: "shout" } } };
    assert.throws(() => assertMatches(ajv, metaSchema("asyncapi-3.0.0"), broken));
  });

  it("hold valid schemas, all of them described", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const [name, schema] of Object.entries(allSchemas)) {
      assert.equal(ajv.validateSchema(schema), true, `${name}: ${ajv.errorsText()}`);
      assert.ok(schema.description, `${name} says nothing`);
    }
  });

  it("refer to nothing that is not there", () => {
    for (const document of [openApi, asyncApi]) {
      const all = references(document);
      assert.ok(all.length > 100);
      for (const reference of all) {
        assert.notEqual(resolve(document, reference), undefined, reference);
      }
    }
  });

  it("carry the package's version", () => {
    const file = new URL("../../../package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(file, "utf8"));
    assert.deepEqual([openApi.info.version, asyncApi.info.version], [version, version]);
  });

  it("name each operation once", () => {
    const ids = Object.values(openApi.paths).map(({ get }) => get.operationId);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe("exported types", () => {
  it("are those of the description", () => {
    const file = new URL("../../../src/api/types.ts", import.meta.url);
    assert.equal(readFileSync(file, "utf8"), typesModule(allSchemas), "npm run describe mends it");
  });
});
