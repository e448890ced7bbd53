// Every view at the widths of common screens: no number is cut off, and none lies over another, whatever
// the market's numbers and the tokens' names are.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Locator, Page, WebSocketRoute } from "playwright-core";
import type { Row } from "../e2e/api-client.ts";
import { settled } from "../e2e/settled.ts";
import { assertClean, type WatchedPage } from "./browser.ts";
import { clippedNumbers } from "./clipped.ts";
import { shows } from "./content.ts";
import type { Setup } from "./setup.ts";

const WIDTHS = [390, 1280, 1366, 1440, 1536, 1920];
/** Where the layouts differ most. */
const WIDTHS_FEW = [390, 1280, 1920];
const PARTS = ["Chart", "Book", "Depth", "Trades"];

export function layoutCases({ world, page: newPage, ownPage }: Setup): void {
  /** Of the views that show numbers. */
  async function hashes(): Promise<readonly string[]> {
    const { api } = world();
    const ticker: readonly Row[] = (await api.get("/ticker/24h")).ticker;
    const traded = ticker.filter(({ trades }) => trades > 0);
    const cheapest = [...traded].sort((a, b) => a.lastPrice - b.lastPrice)[0];
    const [base, quote] = traded[0]?.symbol.split("/") ?? [];
    return [
      "#/",
      `#/market/${traded[0]?.symbol}`,
      `#/market/${cheapest?.symbol}`,
      `#/market/${quote}/${base}`,
      "#/quote",
      `#/quote?selling=${quote}&buying=${base}&amount=25.5`,
      "#/account",
      `#/account/${await world().ownerOfOrders()}`,
      "#/engine",
    ];
  }

  async function go(page: Page, hash: string): Promise<void> {
    await page.goto(`${world().origin}/console${hash}`);
    if (hash.startsWith("#/quote?")) await world().routed(page);
    await shows(page, hash);
  }

  async function assertNoneClipped(page: Page, where: string): Promise<void> {
    const found = await clippedNumbers(page);
    assert.deepEqual(found, [], where);
  }

  /** What nobody could click is found at one width; at others without what a click costs: only the layout counts. */
  function press(button: Locator): Promise<void> {
    const isClicked = button.page().viewportSize()?.width === WIDTHS[0];
    return isClicked ? button.click() : button.dispatchEvent("click");
  }

  /** The view as it is, and each of its tabs. */
  async function assertReadable(page: Page, where: string): Promise<void> {
    await settled(() => assertNoneClipped(page, where));
    const isNarrow = (page.viewportSize()?.width ?? 0) < 768;
    for (const part of isNarrow && where.startsWith("#/market/") ? PARTS : []) {
      // Without roles, which are looked for in the whole page.
      await press(page.locator(".parts button", { hasText: part }));
      await settled(() => assertNoneClipped(page, `${where}, ${part}`));
    }
    for (const tab of await page.locator("[role=tab]:visible").all()) {
      await press(tab);
      await settled(() => assertNoneClipped(page, `${where}, ${tab}`));
    }
  }

  async function readableAt(
    widths: readonly number[],
    opened: WatchedPage,
    views: readonly string[],
  ): Promise<void> {
    const { page } = opened;
    for (const hash of views) {
      await go(page, hash);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await assertReadable(page, `${hash} at ${width}`);
      }
    }
  }

  it("cuts no number off, at any width", async () => {
    const opened = await newPage();
    await readableAt(WIDTHS, opened, await hashes());
    assertClean(opened);
    await opened.close();
  });

  it("cuts no number off at 200% zoom", async () => {
    // Zoom halves the pixels that the page has to lay itself out in.
    const opened = await ownPage({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
    for (const hash of await hashes()) {
      await go(opened.page, hash);
      await assertReadable(opened.page, `${hash} at 200%`);
    }
    assertClean(opened);
    await opened.close();
  });

  for (const numbers of ["tiny", "huge"] as const) {
    it(`shows ${numbers} numbers and names that strangers chose, whole and as text`, async () => {
      const names = await world().api.get("/console/assets.json");
      const opened = await ownPage({});
      const { page } = opened;
      await page.route("**/console/assets.json", (route) =>
        route.fulfill({ json: hostileNames(names) }),
      );
      await page.routeWebSocket(/\/ws$/, (socket) => disturb(socket, numbers));
      await page.route(/\/(order-history|trades|failures)\?/, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: disturbed(await answer.json(), numbers) });
      });
      await readableAt(WIDTHS_FEW, opened, (await hashes()).filter(holdsNumbers));
      assert.equal(await page.evaluate("window.struck"), undefined, "no name runs as a script");
      assert.equal(await page.locator("img").count(), 0, "no name is markup");
      const text = (await page.locator("body").textContent()) ?? "";
      assert.doesNotMatch(text, /[\u202a-\u202e\u200b]/, "no name turns the line around it");
      assertClean(opened);
      await opened.close();
    });
  }
}

/** Views whose numbers are the market's own, one of each kind. */
function holdsNumbers(hash: string, at: number, all: readonly string[]): boolean {
  const kind = (of: string) => of.split(/[/?]/)[1];
  return (
    !/^#.(quote|account)$/.test(hash) && all.findIndex((one) => kind(one) === kind(hash)) === at
  );
}

const HOSTILE = [
  "<img src=x onerror=window.struck=1>:G",
  "\u202eCDSU\u200b:G",
  `${"\u{1f600}".repeat(32)}:G`,
  `${"W".repeat(300)}:G`,
  "\u05d0\u05d1\u05d2:G",
  "__proto__:G",
];

/** The native asset keeps its name: what it is called is not a stranger's. */
function hostileNames(names: Readonly<Record<string, string>>): Record<string, string> {
  const addresses = Object.keys(names).filter((address) => names[address] !== "native");
  return Object.fromEntries(
    Object.keys(names).map((address) => {
      const at = addresses.indexOf(address);
      return [address, at < 0 ? "native" : (HOSTILE[at % HOSTILE.length] ?? "")];
    }),
  );
}

type Numbers = "tiny" | "huge";

const PRICES: Readonly<Record<Numbers, string>> = {
  tiny: "0.000000000000000012345678",
  huge: "123456780000000000000000",
};
const DECIMALS: Readonly<Record<Numbers, string>> = {
  tiny: "0.0000001",
  huge: "17014118346046923173168730371588.4105727",
};
const UNITS: Readonly<Record<Numbers, string>> = { tiny: "1", huge: String((1n << 127n) - 1n) };
const CONTRACT_PRICES: Readonly<Record<Numbers, string>> = {
  tiny: "1",
  huge: String(10n ** 36n),
};

const PRICE_KEYS = /^(lastPrice|openPrice|highPrice|lowPrice|avgPrice|bestBid|bestAsk)$/;
const DECIMAL_KEYS = /^(volume|quoteVolume)$/;
const UNIT_KEYS = /^(amount|quote|backed|balance|allowance|budget|headroom|sold|bought)$/;

function disturb(socket: WebSocketRoute, numbers: Numbers): void {
  const server = socket.connectToServer();
  server.onMessage((message) => {
    socket.send(JSON.stringify(disturbed(JSON.parse(String(message)), numbers)));
  });
}

/** The same with numbers at the ends of what their types hold. */
function disturbed(value: unknown, numbers: Numbers, key = "", inside = ""): unknown {
  if (Array.isArray(value)) {
    if (key === "bids" || key === "asks") {
      return value.map(() => [PRICES[numbers], DECIMALS[numbers]]);
    }
    if (key === "candle" || inside === "candles") {
      const [time, , , , , , , count] = value;
      const price = PRICES[numbers];
      const volume = DECIMALS[numbers];
      return [time, price, price, price, price, volume, volume, count];
    }
    return value.map((one) => disturbed(one, numbers, "", key));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, disturbed(one, numbers, name, key)]),
    );
  }
  if (typeof value !== "string") return value;
  if (PRICE_KEYS.test(key)) return PRICES[numbers];
  if (DECIMAL_KEYS.test(key)) return DECIMALS[numbers];
  if (key === "price") return CONTRACT_PRICES[numbers];
  return UNIT_KEYS.test(key) && /^[0-9]+$/.test(value) ? UNITS[numbers] : value;
}
