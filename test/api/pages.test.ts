// The API's pages in a browser, served as the engine serves them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { Site } from "../../src/http/site/site.ts";
import { readSiteFiles } from "../../src/http/site/site-files.ts";
import { assertClean, launchBrowser, openPage, type WatchedPage } from "../console/browser.ts";
import { findBrowser, NO_BROWSER } from "../console/find-browser.ts";
import { startTestServer, type TestServer } from "../support/http/test-server.ts";

const executable = findBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGES = ["/api", "/api/rest", "/api/push"];
const WIDTHS = [375, 1280];

describe("the API's pages", { skip: executable === undefined ? NO_BROWSER : false }, () => {
  let server: TestServer;
  let browser: Browser;
  /** One for all: a load in a context of its own costs several times what it does in this one. */
  let opened: WatchedPage;

  before(async () => {
    const folder = fileURLToPath(new URL("../../site", import.meta.url));
    const site = new Site({ files: readSiteFiles(folder), documents: new Map() });
    [server, browser] = await Promise.all([
      startTestServer({ site }),
      launchBrowser(executable ?? ""),
    ]);
    opened = await openPage(browser, { origin: server.url });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = async (hash: string): Promise<Page> => {
    await opened.page.goto(`${server.url}/console${hash}`);
    return opened.page;
  };

  it("fit every screen and follow the site's policy", async () => {
    for (const hash of PAGES) {
      const page = await open(hash);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(Number(overflow) <= 0, `${hash} is wider than ${width}`);
      }
    }
    assertClean(opened);
  });

  it("have no serious fault that axe knows, in light and dark", async () => {
    await opened.page.emulateMedia({ colorScheme: "light" });
    await opened.page.setViewportSize({ width: 375, height: 800 });
    for (const hash of PAGES) {
      const page = await open(hash);
      // Contrast is looked at below: on thousands of elements of a few colours it takes long.
      const rules = { "color-contrast": { enabled: false } };
      assert.deepEqual(await faults(page, "document", { rules }), [], hash);
    }
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    const page = await open("/api/rest");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const context =
        '[["header"], [".contents"], ["#getStatus"], ["section.endpoint:has(#getQuote)"]]';
      const runOnly = ["color-contrast"];
      assert.deepEqual(await faults(page, context, { runOnly }), [], colorScheme);
    }
  });

  it("can be used by keyboard", async () => {
    const page = await open("/api/rest");
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
  });
});

async function faults(page: Page, context: string, options: object): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(${context}, ${JSON.stringify({ ...options, resultTypes: ["violations"] })})`,
  )) as { readonly violations: readonly { readonly id: string; readonly impact: string }[] };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id }) => id);
}
