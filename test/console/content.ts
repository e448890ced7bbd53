// What the views of the console have once their data is there.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** What the view of a hash has once its data is there. */
const CONTENT: readonly (readonly [RegExp, string])[] = [
  [/^#\/$/, ".market-row .spark-line:not([d=''])"],
  [/^#\/market\//, ".tape-row:not(.tape-head):not([hidden]) a"],
  [/^#\/quote\?/, ".route-card:not([hidden])"],
  [/^#\/quote$/, ".quote-form"],
  [/^#\/account\/G/, ".order-row:not(.order-head)"],
  [/^#\/account$/, ".suggested li"],
  [/^#\/wallet$/, ".wallet-status"],
  [/^#\/engine$/, ".engine-view .facts dt"],
  [/^#\/nothing$/, ".unknown-view"],
];

/** Resolves once the view of the hash shows what it has. */
export async function shows(page: Page, hash: string): Promise<void> {
  const [, selector] = CONTENT.find(([pattern]) => pattern.test(hash)) ?? assert.fail(hash);
  await page.locator(selector).first().waitFor({ state: "attached" });
}
