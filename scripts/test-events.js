// A reporter for node:test: what scripts/test.js has to know of a process, one line of JSON each.
import { inspect } from "node:util";

/** @param {AsyncIterable<{ type: string, data: any }>} source */
export default async function* events(source) {
  /** Names of the tests around the present one. */
  const names = [];
  for await (const { type, data } of source) {
    if (type === "test:start") names.splice(data.nesting, names.length, data.name);
    else if (type === "test:diagnostic") {
      // Totals of the process.
      if (
        data.nesting === 0 &&
        /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(data.message)
      )
        continue;
      yield line({ type: "diagnostic", message: data.message });
    } else if (type === "test:pass" || type === "test:fail") {
      const { name, nesting, file, line: at, column, details, skip } = data;
      const { error, duration_ms: ms } = details;
      if (type === "test:pass" && file?.endsWith("scripts/test-group.js")) continue;
      const told = { name, nesting, file, line: at, column, ms };
      if (type === "test:fail") {
        // Its subtests tell why.
        if (error?.failureType === "subtestsFailed") continue;
        const path = [...names.slice(0, nesting), name];
        yield line({
          type: "fail",
          ...told,
          outermost: path[0],
          path: path.join(" > "),
          error: inspect(error?.cause ?? error),
        });
      } else if (details.type !== "suite") {
        yield line({ type: skip === undefined ? "pass" : "skip", ...told });
      }
    }
  }
  yield line({ type: "end" });
}

function line(told) {
  return `${JSON.stringify(told)}\n`;
}
