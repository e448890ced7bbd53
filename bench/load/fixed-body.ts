// What everything that is served is measured against: a fixed body of 2 KB on the same binding, with the same headers.
import type { App } from "../../src/http/uws.ts";

export const FIXED_PATH = "/fixed-2k";
const FIXED_BODY = "x".repeat(2048);

export function serveFixedBody(app: App): void {
  app.get(FIXED_PATH, (res) => {
    res.writeHeader("Content-Type", "application/json");
    res.writeHeader("Access-Control-Allow-Origin", "*");
    res.end(FIXED_BODY);
  });
}
