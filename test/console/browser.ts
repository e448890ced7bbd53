// A headless browser and pages that remember what went wrong in them.
import assert from "node:assert/strict";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/**
 * What the browser does without. The first two are lists below its address bar, pages that a window loads whether it is
 * seen or not: nearly half of the CPU time of a new context (Chromium 156). The others are Playwright's (1.65.1),
 * whose flag this one replaces.
 */
const FEATURES_OFF = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];
const FLAGS = [
  `--disable-features=${FEATURES_OFF.join(",")}`,
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Waits of the tests end by then. Generous: machines that run them can be slow. */
export const WAIT_MS_MAX = 120_000;

/** A page gives an engine up for lost after some seconds, which a busy machine can take: here it waits longer. */
const PATIENCE =
  "const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, 20 * ms);";

/** Of the engine's origin: a small answer that is no page. */
const PARKED = "/";
/** Playwright's own. */
const SCREEN = { width: 1280, height: 720 };
const ORDER = /\/order\/[0-9]+$/;
/** What a browser asks for by itself, at some moment, where a document names no icon: that of PARKED. */
const BROWSERS_ICON = /\/favicon\.ico$/;

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

/**
 * One page for all whose browsing context needs nothing of its own: a new context costs several times what
 * a load does in a process that has loaded the page before.
 */
export class SharedPage {
  readonly #browser: Browser;
  readonly #origin: string;
  #opened: (WatchedPage & { readonly forget: () => void }) | undefined;

  constructor(browser: Browser, origin: string) {
    this.#browser = browser;
    this.#origin = origin;
  }

  /** As a new page is: nothing stored, nothing routed, the usual screen and media, and no error so far. */
  async open(): Promise<WatchedPage> {
    this.#opened ??= await openPage(this.#browser, { origin: this.#origin });
    const opened = this.#opened;
    await this.#reset(opened.page);
    opened.forget();
    return { ...opened, close: () => this.#reset(opened.page) };
  }

  /** Leaves the console: what nobody looks at costs nothing. */
  async #reset(page: Page): Promise<void> {
    page.removeAllListeners("dialog");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.goto(this.#origin + PARKED);
    await page.evaluate("localStorage.clear(), sessionStorage.clear()");
    await page.setViewportSize(SCREEN);
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    await page.context().clearPermissions();
  }
}

/** A page that shows nothing yet. */
export async function openPage(
  browser: Browser,
  { origin, ...options }: BrowserContextOptions & { origin: string },
): Promise<WatchedPage & { readonly forget: () => void }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_MS_MAX);
  await context.addInitScript(PATIENCE);
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  const { host } = new URL(origin);
  page.on("console", (message) => {
    const text = message.text();
    const { url } = message.location();
    // An order of a route may be gone before the page asks for it, which the browser itself reports.
    const isNoFault = ORDER.test(url) || BROWSERS_ICON.test(url);
    if (isNoFault && /status of 404/.test(text)) return;
    if (message.type() === "error" || message.type() === "warning") errors.push(`${text} ${url}`);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const watch = (url: string): void => {
    if (new URL(url).host !== host) foreign.push(url);
  };
  page.on("request", (request) => watch(request.url()));
  page.on("websocket", (socket) => watch(socket.url()));
  const forget = (): void => {
    errors.length = 0;
    foreign.length = 0;
  };
  return { page, errors, foreign, forget, close: () => context.close() };
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
