// The console in a browser, over an engine whose ledgers the test closes: what it shows is what the
// API says, it follows the market, and everybody can use it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Row } from "../e2e/api-client.ts";
import { settled } from "../e2e/settled.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  assertClean,
  launchBrowser,
  openPage,
  SharedPage,
  until,
  WAIT_MS_MAX,
  type WatchedPage,
} from "./browser.ts";
import { shows } from "./content.ts";
import { findBrowser, NO_BROWSER } from "./find-browser.ts";
import { layoutCases } from "./layout-cases.ts";
import { marketCases } from "./market-cases.ts";
import type { Setup } from "./setup.ts";
import { tradingCases } from "./trading-cases.ts";
import { ConsoleWorld } from "./world.ts";

const executable = findBrowser();
const skip = executable === undefined ? NO_BROWSER : false;
/** Closed until something happened, at most: not each of them trades in every market. */
const LEDGERS_MAX = 500;
/** Between two looks at a page that will change. */
const LOOK_MS = 50;
/** What an update takes after its ledger on a machine that is not busy; on a busy one the next ledger closes too. */
const THROTTLED_MS = 1_000;
/** Before what does not change is given up, however fast ledgers are. */
const CHANGE_MS_MIN = 60_000;
const PHONE = { width: 375, height: 667 };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("the console", { skip }, () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let shared: SharedPage;
  const folder = temporaryFolder();

  before(async () => {
    browser = await launchBrowser(executable ?? "");
    world = await ConsoleWorld.start("console", folder);
    shared = new SharedPage(browser, world.origin);
  });
  after(async () => {
    await browser?.close();
    await world?.stop();
  });

  const ownPage = (options: BrowserContextOptions): Promise<WatchedPage> =>
    openPage(browser, { origin: world.origin, ...options });

  /** The shared page with a view. */
  async function open(hash: string): Promise<WatchedPage> {
    const opened = await shared.open();
    await opened.page.goto(`${world.origin}/console${hash}`);
    return opened;
  }

  const setup: Setup = { world: () => world, page: () => shared.open(), ownPage };
  layoutCases(setup);
  marketCases(setup);
  tradingCases(setup);

  async function busiestMarket(): Promise<Row> {
    return (await world.api.get("/ticker/24h")).ticker[0];
  }

  /** An answer for 25.5 tokens with a route over more than one hop. */
  async function quoteOverHops(): Promise<Row> {
    for (let closed = 0; closed < LEDGERS_MAX; closed += 1) {
      for (const { symbol } of (await world.api.get("/ticker/24h")).ticker) {
        for (const [selling, buying] of [symbol.split("/"), symbol.split("/").reverse()]) {
          const assets = `sellingAsset=${selling}&buyingAsset=${buying}`;
          const answer = await world.api.get(`/quote?${assets}&amount=255000000`);
          const found = answer.paths.some(({ path }: Row) => path.length > 1);
          if (found) return { answer, selling, buying };
        }
      }
      await world.close(1);
    }
    return assert.fail("no market has a route over hops");
  }

  /** Whose orders are filled most: something happens to it soon. */
  async function busiestMaker(): Promise<string> {
    const fills = new Map<string, number>();
    for (const { type, maker } of await world.api.get("/trades?limit=500")) {
      if (type === "trade") fills.set(maker, (fills.get(maker) ?? 0) + 1);
    }
    const [busiest] = [...fills].sort(([, a], [, b]) => b - a);
    return busiest?.[0] ?? assert.fail("nobody traded");
  }

  /** Closes ledgers, ever more, until the text differs from what it was. Some updates are throttled. */
  async function changes(element: Locator): Promise<void> {
    const before = await element.textContent();
    const page = element.page();
    const untilMs = performance.now() + CHANGE_MS_MIN;
    for (let next = 1, closed = 0; ; next = Math.min(next + 1, 8)) {
      await world.close(next);
      closed += next;
      for (
        const lookUntilMs = performance.now() + THROTTLED_MS;
        performance.now() < lookUntilMs;
      ) {
        if ((await element.textContent()) !== before) return;
        await page.waitForTimeout(LOOK_MS);
      }
      assert.ok(closed < LEDGERS_MAX || performance.now() < untilMs, `still ${before}`);
    }
  }

  it("lists every market with its ticker and a line of its prices", async () => {
    const opened = await open("#/");
    const { page } = opened;
    const { ticker } = await world.api.get("/ticker/24h");
    const rows = page.locator(".market-row:not(.market-head)");
    await rows.nth(ticker.length - 1).waitFor();
    assert.equal(await rows.count(), ticker.length);
    const [entry] = ticker;
    const [base, quote] = entry.symbol.split("/");
    const row = rows.filter({ has: page.locator(`a[href="#/market/${base}/${quote}"]`) });
    await settled(async () => {
      assert.equal(await row.locator(".price").getAttribute("title"), entry.lastPrice);
      assert.equal(await row.locator(".trades").textContent(), String(entry.trades));
      const names = await page.locator(".pair-names").allTextContents();
      assert.match(String(names), /XLM \/ USDC/);
    });
    await row.locator(".spark-line:not([d=''])").waitFor({ state: "attached" });
    await page.getByRole("searchbox").fill("xlm usdc");
    await until(page, "document.querySelectorAll('.market-row').length === 2");
    assertClean(opened);
    await opened.close();
  });

  it("colours each line as the change beside it", async () => {
    const opened = await open("#/");
    const { page } = opened;
    await page.locator(".spark-line:not([d=''])").first().waitFor({ state: "attached" });
    await settled(async () => {
      for (const { symbol, change, trades } of (await world.api.get("/ticker/24h")).ticker) {
        const row = page.locator(".market-row", { has: page.locator(`a[href$="${symbol}"]`) });
        const drawn = await row.locator(".spark-line").getAttribute("d");
        assert.equal(drawn !== "", trades > 0, symbol);
        const tone = await row.locator(".sparkline").getAttribute("data-tone");
        if (trades > 0 && change !== 0) assert.equal(tone, change < 0 ? "down" : "up", symbol);
      }
    });
    assertClean(opened);
    await opened.close();
  });

  it("leaves the rows of a list in use in their places, and says so", async () => {
    const opened = await ownPage({});
    const { page } = opened;
    await page.clock.install();
    await page.goto(`${world.origin}/console#/engine`);
    await page.getByRole("navigation").getByRole("link", { name: "Markets" }).click();
    await page.getByRole("button", { name: "24 h", exact: true }).click();
    const links = page.locator(".market-link");
    const shown = () => links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    const byChange = async (): Promise<readonly string[]> => {
      const { ticker } = await world.api.get("/ticker/24h");
      const order = (a: Row, b: Row) => b.change - a.change || (a.symbol < b.symbol ? -1 : 1);
      return ticker.sort(order).map(({ symbol }: Row) => `#/market/${symbol}`);
    };
    const first = await byChange();
    await settled(async () => assert.deepEqual(await shown(), first));
    await links.first().hover();
    for (let closed = 0; String(await byChange()) === String(first); closed += 1) {
      assert.ok(closed < LEDGERS_MAX, "the order of the markets changes");
      await world.close(1);
    }
    const again = page.getByRole("button", { name: "Sort again" });
    await settled(async () => {
      await page.clock.fastForward("00:30");
      assert.ok(await again.isVisible());
    });
    assert.deepEqual(await shown(), first);
    await again.click();
    await settled(async () => {
      assert.deepEqual(await shown(), await byChange());
      assert.ok(await again.isHidden());
    });
    assertClean(opened);
    await opened.close();
  });

  it("changes book, candles and trades of a market as ledgers close", async () => {
    const { symbol } = await busiestMarket();
    const opened = await open(`#/market/${symbol}`);
    const { page } = opened;
    await page.locator(".ladder-mid").filter({ hasText: /[0-9]/ }).waitFor();
    await page.locator(".candle-chart canvas").first().waitFor();
    const taker = page.locator(".tape-row:not(.tape-head):not([hidden]) a").first();
    await taker.waitFor();
    await settled(async () => {
      const depth = await world.api.get(`/depth?market=${symbol}&limit=200`);
      const middle = await page.locator(".ladder-mid").textContent();
      assert.equal(middle?.replaceAll(",", ""), `${depth.bestBid} – ${depth.bestAsk}`);
      const best = await page.locator(".bids .ladder-price").first().textContent();
      assert.equal(Number(best?.replaceAll(",", "")), Number(depth.bids[0][0]));
      const trades = await world.api.get(`/trades?pair=${symbol.replace("/", "&pair=")}&limit=50`);
      const fills = trades.filter((record: Row) => record.type === "trade" && !record.crossfill);
      assert.equal(await taker.getAttribute("title"), fills[0].taker);
    });
    await changes(page.locator(".ladder"));
    await changes(page.locator(".tape"));
    await changes(page.locator(".candle-legend"));
    assertClean(opened);
    await opened.close();
  });

  it("shows the routes of a quote as the API answers them, with the call that takes one", async () => {
    const { selling, buying } = await quoteOverHops();
    const opened = await open(`#/quote?selling=${selling}&buying=${buying}&amount=25.5`);
    const { page } = opened;
    await world.routed(page);
    let looks = 0;
    await settled(async () => {
      // The page's answer is its ledger's; a new one leaves out what has come close to its end since.
      looks += 1;
      if (looks % 10 === 0) await world.close(1);
      const assets = `sellingAsset=${selling}&buyingAsset=${buying}`;
      await showsAnswer(page, await world.api.get(`/quote?${assets}&amount=255000000`));
    });
    await changes(page.locator(".routes"));
    assertClean(opened);
    await opened.close();
  });

  it("says why there is no quote", async () => {
    const { symbol } = await busiestMarket();
    const [base, quote] = symbol.split("/");
    const opened = await open(`#/quote?selling=${quote}&buying=${base}&amount=99999999999`);
    const { page } = opened;
    await page.locator(".routes-panel .notice", { hasText: /not enough liquidity/i }).waitFor();
    await page.getByLabel(/Pay exactly,/).fill("1.23456789");
    await page.locator(".field-error", { hasText: "at most 7 decimals" }).waitFor();
    await page.getByLabel(/Pay exactly,/).fill("1");
    await world.routed(page);
    assertClean(opened);
    await opened.close();
  });

  it("shows an account's orders with their backing, and its fills as they come", async () => {
    const owner = await busiestMaker();
    const opened = await open(`#/account/${owner}`);
    const { page } = opened;
    const rows = page.locator(".order-row:not(.order-head)");
    await rows.first().waitFor();
    await settled(async () => {
      const { orders } = await world.api.get(`/account/${owner}`);
      const count = await page.locator(".orders-panel .panel-head > .num").textContent();
      assert.equal(count, `${orders.length} live`);
      const [first, backed] = (await page.evaluate(`(() => {
        const row = document.querySelector(".order-row:not(.order-head)");
        return ["code", ".backed"].map((part) => row?.querySelector(part)?.title);
      })()`)) as (string | undefined)[];
      const shown = orders.find(({ id }: Row) => id === first);
      assert.ok(shown !== undefined, "what is shown is live");
      assert.equal(units(backed?.split(" ")[0], 7), shown.backed);
    });
    await page.getByRole("tab", { name: "Fills" }).click();
    await changes(page.locator(".paged:visible tbody"));
    assertClean(opened);
    await opened.close();
  });

  it("is usable on a phone: nothing wider than the screen, every view within reach", async () => {
    const opened = await ownPage({ viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = opened;
    await page.goto(`${world.origin}/console#/`);
    const { symbol } = await busiestMarket();
    const owner = await world.ownerOfOrders();
    await page.locator(".market-row:not(.market-head)").first().tap();
    await page.locator(".market-view").waitFor();
    for (const [part, shown] of [
      ["Book", ".panel.book"],
      ["Depth", ".panel.depth"],
      ["Trades", ".panel.trades-panel"],
      ["Chart", ".panel.chart"],
    ] as const) {
      await page.getByRole("button", { name: part, exact: true }).tap();
      await page.locator(shown).waitFor();
      const panels = page.locator(".market-view > .panel:visible");
      await settled(async () => assert.equal(await panels.count(), 1));
    }
    for (const name of ["Quote", "Account", "Engine", "Markets"]) {
      const link = page.getByRole("navigation").getByRole("link", { name });
      const box = await link.boundingBox();
      assert.ok(box !== null && box.y + box.height <= PHONE.height && box.height >= 40, name);
      await link.tap();
      await until(page, `document.title.startsWith("${name}")`);
    }
    for (const hash of [...VIEWS, `#/market/${symbol}`, `#/account/${owner}`]) {
      await page.goto(`${world.origin}/console${hash}`);
      await shows(page, hash);
      await settled(async () => {
        const width = await page.evaluate(
          "Math.max(document.documentElement.scrollWidth, document.querySelector('main').scrollWidth)",
        );
        assert.equal(width, PHONE.width, `${hash} is as wide as the screen`);
      });
    }
    assertClean(opened);
    await opened.close();
  });

  it("says what is wrong with an address, and offers a way back", async () => {
    const { symbol } = await busiestMarket();
    const [base, quote] = symbol.split("/");
    const other = world.devnet.network.exchange;
    const opened = await open("#/market/foo/bar/baz");
    const { page } = opened;
    for (const [hash, said] of [
      ["#/market/foo/bar/baz", /names no view .* a market that cannot exist.*All markets/],
      ["#/market/foo/bar", /No market is called foo\/bar.*All markets/],
      [`#/market/${base}/${quote.slice(0, -1)}1`, /a market that cannot exist.*All markets/],
      [`#/market/${base}/${other}`, /Nobody has opened such a market.*All markets/],
      [`#/order/1`, /names no view/],
      ["#/account/foo", /foo is no account address/],
      [`#/account/G${"A".repeat(55)}`, /is no account address/],
      [`#/quote?selling=${quote}&buying=${base}&amount=abc`, /An amount above zero/],
      [`#/quote?selling=foo&buying=${base}&amount=1`, /Expected XLM, CODE:ISSUER/],
      [`#/quote?selling=${base}&buying=${base}&amount=1`, /can't be the same/],
      [`#/quote?selling=${quote}&buying=${base}&amount=1&direct=true&limit=x`, /limit is not/],
    ] as const) {
      await page.goto(`${world.origin}/console${hash}`);
      await page.locator("main", { hasText: said }).waitFor();
      const problem = page.locator(".routes-panel .notice");
      if (hash.startsWith("#/quote")) await problem.filter({ hasText: said }).waitFor();
    }
    await page.goto(`${world.origin}/console#/market/${base}/${other}`);
    await page.getByRole("link", { name: "All markets" }).click();
    await page.locator(".market-link").first().waitFor();
    await page.goto(`${world.origin}/console#/market/${symbol}`);
    await page.locator(".ladder-mid").filter({ hasText: /[0-9]/ }).waitFor();
    await page.locator(".market-unknown").waitFor({ state: "hidden" });
    assertClean(opened);
    await opened.close();
  });

  for (const [where, permissions, script] of [
    ["", ["clipboard-read", "clipboard-write"], ""],
    // As on a page that came without TLS.
    [
      " where pages have no clipboard",
      ["clipboard-read"],
      "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
    ],
  ] as const) {
    it(`puts what its buttons name on the clipboard${where}`, async () => {
      const { symbol } = await busiestMarket();
      const [base, quote] = symbol.split("/");
      const opened = await shared.open();
      const { page } = opened;
      await page.context().grantPermissions([...permissions]);
      const added = await page.addInitScript(script);
      try {
        await page.goto(`${world.origin}/console#/quote?selling=${quote}&buying=${base}&amount=1`);
      } finally {
        await added.dispose();
      }
      await world.routed(page);
      await page.getByRole("button", { name: "JSON the arguments of swap" }).click();
      const args: Row = JSON.parse(await pasted(page, "{"));
      assert.equal(args.selling, quote);
      await page.getByRole("button", { name: "Copy the request" }).click();
      const request = new URL(await pasted(page, "http"));
      assert.equal(request.origin, world.origin);
      assert.equal(request.searchParams.get("amount"), "10000000");
      const answer = await world.api.get(request.pathname + request.search);
      assert.equal(answer.sellingAsset, quote);
      assertClean(opened);
      await opened.close();
    });
  }

  it("is usable by keyboard", async () => {
    const opened = await open("#/");
    const { page } = opened;
    await page.locator(".market-row:not(.market-head)").first().waitFor();
    await page.keyboard.press("Tab");
    await until(page, "document.activeElement.textContent === 'Skip to content'");
    await page.keyboard.press("Enter");
    await until(page, "document.activeElement.id === 'main'");
    for (let tabs = 0; tabs < 20; tabs += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate("document.activeElement.matches('.market-link')")) break;
    }
    await page.keyboard.press("Enter");
    await page.locator(".market-view").waitFor();
    assert.match(page.url(), /#\/market\//);
    await page.keyboard.press("Tab");
    await until(page, "document.querySelector('main').contains(document.activeElement)");
    assertClean(opened);
    await opened.close();
  });

  it("has no serious fault for those who read it otherwise, light or dark", async () => {
    const { symbol } = await busiestMarket();
    const owner = await world.ownerOfOrders();
    const [base, quote] = symbol.split("/");
    const hashes = [
      "#/",
      `#/market/${symbol}`,
      `#/quote?selling=${quote}&buying=${base}&amount=25`,
      "#/account",
      `#/account/${owner}`,
      "#/wallet",
      "#/engine",
      "#/nothing",
    ];
    // The structure is the same in both: the second time only what colours decide is looked at.
    for (const [colorScheme, rules] of [
      ["light", undefined],
      ["dark", ["color-contrast", "link-in-text-block"]],
    ] as const) {
      const opened = await shared.open();
      await opened.page.emulateMedia({ colorScheme });
      for (const hash of hashes) {
        await opened.page.goto(`${world.origin}/console${hash}`);
        if (hash.startsWith("#/quote?")) await world.routed(opened.page);
        await shows(opened.page, hash);
        // What is drawn anew while it is looked at is looked at again.
        const faultless = (what: string) =>
          settled(async () => assert.deepEqual(await seriousFaults(opened.page, rules), [], what));
        await faultless(`${hash}, ${colorScheme}`);
        if (!hash.startsWith("#/market/")) continue;
        await opened.page.locator(".switch-button").click();
        await opened.page.locator(".switch-list").getByRole("option").first().waitFor();
        await faultless(`the list of markets, ${colorScheme}`);
      }
      // The wallet asks the RPC that is named for pages.
      const foreign = opened.foreign.filter((url) => !url.startsWith(world.devnet.url));
      assertClean({ ...opened, foreign });
      await opened.close();
    }
  });

  it("moves nothing for those who want no motion", async () => {
    const opened = await open("#/account");
    await opened.page.emulateMedia({ reducedMotion: "reduce" });
    const moving = `(() => {
      const spinner = document.body.appendChild(document.createElement("span"));
      spinner.className = "spinner";
      return [...document.querySelectorAll("*")].filter((one) => {
        const { animationDuration, transitionDuration } = getComputedStyle(one);
        return !/^0s/.test(animationDuration) || !/^0s/.test(transitionDuration);
      }).length;
    })()`;
    assert.equal(await opened.page.evaluate(moving), 0);
    await opened.page.emulateMedia({ reducedMotion: "no-preference" });
    assert.notEqual(await opened.page.evaluate(moving), 0, "the test sees what moves");
    await opened.close();
  });

  it("keeps the colours a person chose", async () => {
    const opened = await shared.open();
    const { page } = opened;
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(`${world.origin}/console#/`);
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    await page.getByRole("button", { name: "Dark colours" }).click();
    await settled(async () => assert.notEqual(await background(), light));
    const dark = await background();
    await page.reload();
    await page.locator(".top").waitFor();
    await settled(async () => assert.equal(await background(), dark));
    await opened.close();
  });

  // The last: what it leaves behind is another engine process.
  it("says that the engine is gone, comes back by itself, and goes on with fresh state", async () => {
    const { ticker } = await world.api.get("/ticker/24h");
    const opened = await open(`#/market/${ticker[0].symbol}`);
    const { page } = opened;
    const ledger = page.locator(".status-ledger");
    await ledger.filter({ hasText: String(world.devnet.tip.ledger) }).waitFor();
    await world.stopEngine();
    await page.locator(".lost:not([hidden])").waitFor();
    for (let closed = 0; closed < 5; closed += 1) world.devnet.closeLedger();
    await world.startEngine();
    await page.locator(".lost[hidden]").waitFor({ state: "attached" });
    await world.api.reached(world.devnet.tip.ledger);
    await ledger.filter({ hasText: String(world.devnet.tip.ledger) }).waitFor();
    await settled(async () => {
      const depth = await world.api.get(`/depth?market=${ticker[0].symbol}&limit=200`);
      const middle = await page.locator(".ladder-mid").textContent();
      assert.equal(middle?.replaceAll(",", ""), `${depth.bestBid} – ${depth.bestAsk}`);
    });
    // What a browser itself reports: nobody there, somebody who leaves, or who has not begun to serve.
    const errors = opened.errors.filter(
      (text) => !/ERR_CONNECTION_|ERR_EMPTY_RESPONSE|\b503\b/.test(text),
    );
    assertClean({ ...opened, errors });
    await opened.close();
  });
});

const VIEWS = ["#/", "#/quote", "#/account", "#/engine"] as const;

/** Base units of an amount shown with so many decimals or fewer. */
function units(text: string | null | undefined, decimals = 7): string {
  const [whole = "", fraction = ""] = (text ?? "").replaceAll(",", "").split(".");
  const digits = whole + fraction.padEnd(decimals, "0");
  // What stands in a cell before its number comes is no error of the test but another text.
  return /^[0-9]+$/.test(digits) ? String(BigInt(digits)) : digits;
}

/** The quote explorer shows exactly this answer: its routes, and of one over hops everything. */
async function showsAnswer(page: Page, answer: Row): Promise<void> {
  const cards = page.locator(".route-card:not([hidden])");
  assert.equal(await cards.count(), answer.paths.length);
  for (const [at, path] of answer.paths.entries()) {
    const shown = await cards.nth(at).locator(".route-amount").textContent();
    assert.equal(units(shown?.split(" ")[0]), path.bought);
  }
  const at = Math.max(
    0,
    answer.paths.findIndex(({ path }: Row) => path.length > 1),
  );
  const path = answer.paths[at];
  await cards.nth(at).click();
  const hops = page.locator(".flow-hop");
  assert.equal(await hops.count(), path.path.length);
  // Amounts between hops come with the orders.
  const numbers = await page.locator(".flow .num").allTextContents();
  assert.ok(!numbers.includes("…"), "every amount of the route is known");
  const amounts = await page.locator(".flow-amount").allTextContents();
  assert.equal(units(amounts[0]), path.sold);
  assert.equal(units(amounts.at(-1)), path.bought);
  for (const [index, hop] of path.path.entries()) {
    const ids = await orderIds(hops.nth(index));
    assert.deepEqual(ids, hop.orders);
    const worst = await hops.nth(index).locator(".flow-market .num").getAttribute("title");
    assert.equal(worst, hop.worstPrice);
    const got = await hops.nth(index).locator("tbody td:nth-child(4)").allTextContents();
    const sum = got.map((text) => units(text)).reduce((total, one) => total + BigInt(one), 0n);
    assert.equal(String(sum), units(amounts[index + 1]), "each hop gets what the next one pays");
  }
  const args = await swapArguments(page);
  assert.equal(args.selling_amount, path.sold);
  assert.equal(args.buying_amount, path.bought);
  assert.deepEqual(
    JSON.parse(args.path ?? "null"),
    path.path.map(({ buying, orders }: Row) => ({ asset: buying, orders })),
  );
}

async function orderIds(hop: Locator): Promise<readonly (string | null)[]> {
  return hop
    .locator("td:first-child code")
    .evaluateAll((codes) => codes.map((code) => code.getAttribute("title")));
}

async function swapArguments(page: Page): Promise<Readonly<Record<string, string>>> {
  const swap = page.locator(".call").filter({ has: page.getByRole("heading", { name: "swap" }) });
  const rows = swap.locator("tr");
  const names = await rows.locator("th").allTextContents();
  const values = await rows.locator("td").allTextContents();
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}

/** What a person gets who pastes, once it starts so. */
async function pasted(page: Page, start: string): Promise<string> {
  const field = page.getByLabel("Caller of the contract");
  for (const deadline = Date.now() + WAIT_MS_MAX; ; ) {
    await field.fill("");
    await page.keyboard.press("ControlOrMeta+V");
    const text = await field.inputValue();
    if (text.startsWith(start)) return text;
    assert.ok(Date.now() < deadline, `never pasted ${start}: ${text}`);
  }
}

/**
 * What axe finds of impact serious or critical, each with the first element that has it. `rules`: all
 * where undefined.
 */
async function seriousFaults(
  page: Page,
  rules: readonly string[] | undefined,
): Promise<readonly string[]> {
  // A script of half a megabyte: once a document.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    readonly violations: readonly {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
