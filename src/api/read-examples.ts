// The recorded examples, which are data files beside this source.
import { readdirSync, readFileSync } from "node:fs";
import type { Examples } from "./examples.ts";

/** The compiled file lies in dist/src/api. */
export const EXAMPLES_FOLDER = new URL("../../../src/api/examples/", import.meta.url);

/** Throws where the folder is not there: examples are read by the build and by tests only. */
export function readExamples(): Examples {
  return {
    answers: readFolder("answers"),
    messages: readFolder("messages"),
  } as Examples;
}

function readFolder(name: string): Readonly<Record<string, unknown>> {
  const folder = new URL(`${name}/`, EXAMPLES_FOLDER);
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return Object.fromEntries(
    files
      .sort()
      .map((file) => [
        file.slice(0, -".json".length),
        JSON.parse(readFileSync(new URL(file, folder), "utf8")) as unknown,
      ]),
  );
}
