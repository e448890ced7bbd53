// Answers of two engines, made comparable.
import assert from "node:assert/strict";
import type { Row } from "./api-client.ts";

/**
 * An answer without what two engines on the same ledgers may differ in. When a backing record was
 * last loaded depends on when the engine ran.
 */
export function comparable(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: Row) => {
    if (typeof value !== "object" || value === null) return value;
    // Of the answer itself: when it was given, and the random id of a quote.
    if (key === "") for (const own of ["ts", "timestamp", "id"]) delete value[own];
    if ("liveUntil" in value) {
      const { updated, ...rest } = value;
      assert.equal(typeof updated, "string", key);
      return rest;
    }
    return value;
  });
}
