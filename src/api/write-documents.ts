// Part of the build: writes the documents and their pages into the site that the engine serves, and
// the declarations of the exported types.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { asyncApiDocument } from "./asyncapi.ts";
import { readExamples } from "./examples.ts";
import { openApiDocument } from "./openapi.ts";
import { overviewPage } from "./pages/overview-page.ts";
import { pushPage } from "./pages/push-page.ts";
import { restPage } from "./pages/rest-page.ts";
import { allSchemas } from "./schemas.ts";
import { typesModule } from "./typescript.ts";

/** The compiled file lies in dist/src/api. */
const SITE = new URL("../../site/", import.meta.url);

const examples = readExamples();
mkdirSync(new URL("api/", SITE), { recursive: true });
writeJson("openapi.json", openApiDocument(examples));
writeJson("asyncapi.json", asyncApiDocument(examples));
writeFileSync(new URL("api.html", SITE), overviewPage());
writeFileSync(new URL("api/rest.html", SITE), restPage(examples));
writeFileSync(new URL("api/push.html", SITE), pushPage(examples));
copyFileSync(
  new URL("../../../src/api/pages/style.css", import.meta.url),
  new URL("api/style.css", SITE),
);
// Types alone, without imports: as declarations they read the same.
writeFileSync(new URL("types.d.ts", import.meta.url), typesModule(allSchemas));

function writeJson(name: string, document: object): void {
  writeFileSync(new URL(name, SITE), `${JSON.stringify(document, null, 2)}\n`);
}
