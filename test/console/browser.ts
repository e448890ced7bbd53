// A headless browser and pages that remember what went wrong in them.
import assert from "node:assert/strict";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Waits of the tests end by then. Generous: machines that run them can be slow. */
export const WAIT_MS_MAX = 60_000;

const ORDER = /\/order\/[0-9]+$/;

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

export type WatchedPage = {
  readonly page: Page;
  /** Errors of scripts and of the console, the policy's complaints among them. */
  readonly errors: readonly string[];
  /** URLs that were asked of another host than the engine. */
  readonly foreign: readonly string[];
  close(): Promise<void>;
};

/** `origin`: the engine's, `http://host:port`. The first view is that of `hash`. */
export async function openConsole(
  browser: Browser,
  { hash, ...options }: BrowserContextOptions & { origin: string; hash: string },
): Promise<WatchedPage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(`${options.origin}/console${hash}`);
  return opened;
}

/** A page that shows nothing yet. */
export async function openPage(
  browser: Browser,
  { origin, ...options }: BrowserContextOptions & { origin: string },
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_MS_MAX);
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  const { host } = new URL(origin);
  page.on("console", (message) => {
    // An order of a route may be gone before the page asks for it, which the browser itself reports.
    const isGoneOrder = /status of 404/.test(message.text()) && ORDER.test(message.location().url);
    if (isGoneOrder) return;
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const watch = (url: string): void => {
    if (new URL(url).host !== host) foreign.push(url);
  };
  page.on("request", (request) => watch(request.url()));
  page.on("websocket", (socket) => watch(socket.url()));
  return { page, errors, foreign, close: () => context.close() };
}

export function assertClean({ errors, foreign }: WatchedPage): void {
  assert.deepEqual(errors, [], "the page reports no error");
  assert.deepEqual(foreign, [], "the page asks nobody but the engine");
}

/**
 * Resolves once the expression, evaluated in the page, is true. Playwright's own wait evaluates texts
 * inside the page, which the page's policy forbids.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!(await page.evaluate(expression))) {
    assert.ok(Date.now() < deadline, `never true: ${expression}`);
    await page.waitForTimeout(50);
  }
}
