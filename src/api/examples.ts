// Recorded examples: answers and messages of a real run (`npm run record-examples`), a file per operation and channel.
import { readdirSync, readFileSync } from "node:fs";

export type RecordedAnswer = {
  /** Key of the example. */
  readonly name: string;
  readonly summary: string;
  /** Path and query. */
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
};

/** One message of a push connection. */
export type RecordedMessage = {
  readonly schema: string;
  readonly summary: string;
  readonly message: unknown;
};

export type Examples = {
  /** By operation id. */
  readonly answers: Readonly<Record<string, readonly RecordedAnswer[]>>;
  /** By channel, `connection` for what belongs to none. */
  readonly messages: Readonly<Record<string, readonly RecordedMessage[]>>;
};

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
