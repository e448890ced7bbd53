// npm run describe: writes src/api/types.ts from the description. The build begins with it, since the rest is
// checked against those types.
import { writeFileSync } from "node:fs";
import { allSchemas } from "./schemas.ts";
import { typesModule } from "./typescript.ts";

// The compiled file lies in dist/src/api.
writeFileSync(new URL("../../../src/api/types.ts", import.meta.url), typesModule(allSchemas));
