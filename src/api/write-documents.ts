// Part of the build: writes the documents and their pages into the site that the engine serves, and
// the declarations of the exported types.
import { mkdirSync, writeFileSync } from "node:fs";
import { asyncApiDocument } from "./asyncapi.ts";
import { openApiDocument } from "./openapi.ts";
import { readExamples } from "./read-examples.ts";
import { allSchemas } from "./schemas.ts";
import { typesModule } from "./typescript.ts";

/** The compiled file lies in dist/src/api. */
const SITE = new URL("../../site/", import.meta.url);

const examples = readExamples();
mkdirSync(SITE, { recursive: true });
writeJson("openapi.json", openApiDocument(examples));
writeJson("asyncapi.json", asyncApiDocument(examples));
// Types alone, without imports: as declarations they read the same.
writeFileSync(new URL("types.d.ts", import.meta.url), typesModule(allSchemas));

function writeJson(name: string, document: object): void {
  writeFileSync(new URL(name, SITE), `${JSON.stringify(document, null, 2)}\n`);
}
