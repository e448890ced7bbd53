// The API's pages in a browser, served as the engine serves them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { Site } from "../../src/http/site/site.ts";
import { readSiteFiles } from "../../src/http/site/site-files.ts";
import { assertClean, launchBrowser, openConsole } from "../console/browser.ts";
import { findBrowser, NO_BROWSER } from "../console/find-browser.ts";
import { startTestServer, type TestServer } from "../support/http/test-server.ts";

const executable = findBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGES = ["/api", "/api/rest", "/api/push"];
const WIDTHS = [375, 1280];

describe("the API's pages", { skip: executable === undefined ? NO_BROWSER : false }, () => {
  let server: TestServer;
  let browser: Browser;

  before(async () => {
    const folder = fileURLToPath(new URL("../../site", import.meta.url));
    const site = new Site({ files: readSiteFiles(folder), documents: new Map() });
    [server, browser] = await Promise.all([
      startTestServer({ site }),
      launchBrowser(executable ?? ""),
    ]);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = (hash: string, width: number, colorScheme: "light" | "dark") =>
    openConsole(browser, {
      origin: server.url,
      hash,
      viewport: { width, height: 800 },
      colorScheme,
    });

  it("fit every screen and follow the site's policy", async () => {
    for (const width of WIDTHS) {
      for (const hash of PAGES) {
        const opened = await open(hash, width, "light");
        const overflow = await opened.page.evaluate(
          "document.documentElement.scrollWidth - innerWidth",
        );
        assert.ok(Number(overflow) <= 0, `${hash} is wider than ${width}`);
        assertClean(opened);
        await opened.close();
      }
    }
  });

  it("have no serious fault that axe knows, in light and dark", async () => {
    for (const hash of PAGES) {
      const opened = await open(hash, 375, "light");
      // Contrast is looked at below: on thousands of elements of a few colours it takes long.
      const rules = { "color-contrast": { enabled: false } };
      assert.deepEqual(await faults(opened.page, "document", { rules }), [], hash);
      await opened.close();
    }
    for (const colorScheme of ["light", "dark"] as const) {
      const opened = await open("/api/rest", 1280, colorScheme);
      const context =
        '[["header"], [".contents"], ["#getStatus"], ["section.endpoint:has(#getQuote)"]]';
      const runOnly = ["color-contrast"];
      assert.deepEqual(await faults(opened.page, context, { runOnly }), [], colorScheme);
      await opened.close();
    }
  });

  it("can be used by keyboard", async () => {
    const opened = await openConsole(browser, { origin: server.url, hash: "/api/rest" });
    const { page } = opened;
    const focused = () => page.evaluate("document.activeElement.textContent");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to content");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "content");
    await page.locator("#getDepth ~ details summary").first().focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#getDepth ~ details[open]").count(), 1);
    await page.keyboard.press("Tab");
    assert.match(String(await focused()), /^GET \/depth\?market=/);
    await opened.close();
  });
});

async function faults(page: Page, context: string, options: object): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(${context}, ${JSON.stringify({ ...options, resultTypes: ["violations"] })})`,
  )) as { readonly violations: readonly { readonly id: string; readonly impact: string }[] };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id }) => id);
}
