import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { errorSerializers } from "./logger.ts";

test("an error in the log carries its message and its causes, under each name it is logged by", () => {
  const lines: string[] = [];
  const log = pino(
    { serializers: errorSerializers },
    { write: (line: string) => void lines.push(line) },
  );
  const error = new Error("not stored", { cause: new Error("MDB_MAP_FULL") });
  for (const name of ["err", "error", "cause"]) log.error({ [name]: error }, "a step failed");
  for (const [at, name] of ["err", "error", "cause"].entries()) {
    const record = JSON.parse(lines[at] ?? "{}");
    assert.match(record[name].message, /not stored.*MDB_MAP_FULL/);
    assert.match(record[name].stack, /MDB_MAP_FULL/);
  }
});
