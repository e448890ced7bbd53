// What traders do in the view of a market and of an account.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { encodeStrkey, StrkeyVersion } from "../../src/model/strkey.ts";
import type { Row } from "../e2e/api-client.ts";
import { settled } from "../e2e/settled.ts";
import { assertClean, until } from "./browser.ts";
import type { Setup } from "./setup.ts";

export function marketCases({ world, page: newPage, ownPage }: Setup): void {
  const go = (page: Page, hash: string) => page.goto(`${world().origin}/console${hash}`);

  /** The token address of a code that one token has. */
  async function token(name: string): Promise<string> {
    const names: Record<string, string> = await world().api.get("/console/assets.json");
    const found = Object.keys(names).find((address) => names[address]?.split(":")[0] === name);
    return found ?? assert.fail(`no token ${name}`);
  }

  it("finds a market by the names of its tokens, and says so with its price in the tab", async () => {
    const opened = await newPage();
    const { page } = opened;
    const [xlm, usdc] = [await token("native"), await token("USDC")];
    for (const hash of ["#/market/XLM/USDC", "#/market/usdc/native", `#/market/${usdc}/${xlm}`]) {
      await go(page, hash);
      await page.locator(".tape-row:not(.tape-head):not([hidden])").first().waitFor();
      const names = hash === "#/market/XLM/USDC" ? "XLM/USDC" : "USDC/XLM";
      await settled(async () => {
        const price = await page.locator(".tape-price").first().textContent();
        assert.equal(await page.title(), `${price} ${names} \u00b7 Hopbook`);
      });
    }
    assertClean(opened);
    await opened.close();
  });

  it("offers the markets where several have the names", async () => {
    const opened = await newPage();
    const { page } = opened;
    const names: Record<string, string> = await world().api.get("/console/assets.json");
    const { ticker } = await world().api.get("/ticker/24h");
    const xlm = await token("native");
    const others = ticker
      .map(({ symbol }: Row) => symbol.split("/"))
      .filter((pair: string[]) => pair.includes(xlm))
      .map((pair: string[]) => pair.find((address) => address !== xlm));
    const issuer = (at: number) =>
      encodeStrkey(StrkeyVersion.account, new Uint8Array(32).fill(at + 1));
    const shared = Object.fromEntries(
      Object.entries(names).map(([address, name]) => {
        const at = others.indexOf(address);
        return [address, at < 0 ? name : `TWIN:${issuer(at)}`];
      }),
    );
    const twins = others.filter((address: string) => names[address] !== undefined);
    assert.ok(twins.length > 1, "more than one market with XLM");
    await page.route("**/console/assets.json", (route) => route.fulfill({ json: shared }));
    await go(page, "#/market/XLM/TWIN");
    const links = page.locator(".unknown-view li a");
    await settled(async () => assert.equal(await links.count(), twins.length));
    await links.last().click();
    await page.locator(".market-view").waitFor();
    await page
      .locator("h1")
      .filter({ hasText: /^XLM \/ TWIN\u00b7/ })
      .waitFor();
    await go(page, `#/market/XLM/${shared[twins[0]]}`);
    await page.locator(".market-view").waitFor();
    assertClean(opened);
    await opened.close();
  });

  it("switches to another market by keyboard", async () => {
    const opened = await newPage();
    const { page } = opened;
    const { ticker } = await world().api.get("/ticker/24h");
    await go(page, `#/market/${ticker[0].symbol}`);
    await page.locator(".switch-button").press("Enter");
    const options = page.locator(".switch-list").getByRole("option");
    await until(page, "document.activeElement.matches('.switch input')");
    await settled(async () => assert.equal(await options.count(), ticker.length));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await options.nth(1).and(page.locator("[aria-selected=true]")).waitFor();
    const href = await options.nth(1).getAttribute("href");
    await page.keyboard.press("Enter");
    await until(page, `location.hash === ${JSON.stringify(href)}`);
    await page.locator(".switch-button").click();
    await page.keyboard.type("usdc xlm");
    await settled(async () => assert.equal(await options.count(), 1));
    await page.keyboard.type("nothing");
    await page.getByText("No market matches").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".switch").waitFor({ state: "hidden" });
    assertClean(opened);
    await opened.close();
  });

  it("quotes everything up to a level of the book that is chosen", async () => {
    const opened = await newPage();
    const { page } = opened;
    const [xlm, usdc] = [await token("native"), await token("USDC")];
    for (const side of ["asks", "bids"] as const) {
      await go(page, `#/market/${xlm}/${usdc}`);
      const levels = page.locator(`.${side} .ladder-price[href]`);
      await levels.nth(1).waitFor();
      // Rows are made anew where the room for them changes: they lose the focus then.
      await settled(async () => {
        await levels.first().focus();
        await page.keyboard.press(side === "asks" ? "ArrowUp" : "ArrowDown");
        assert.ok(await page.evaluate(`document.activeElement.matches(".${side} [href]")`));
      });
      await page.keyboard.press("Enter");
      await until(page, `location.hash.startsWith("#/quote")`);
      const asked = new URLSearchParams(page.url().split("?")[1]);
      const [paid, got] = side === "asks" ? [usdc, xlm] : [xlm, usdc];
      assert.deepEqual([asked.get("selling"), asked.get("buying")], [paid, got]);
      assert.equal(asked.get("direct"), "true");
      await world().routed(page);
      await settled(async () =>
        assert.equal(await page.getByLabel(/^Limit/).inputValue(), asked.get("limit")),
      );
    }
    assertClean(opened);
    await opened.close();
  });

  it("has every candle length, steps as numbers, averages, and a full screen", async () => {
    const opened = await newPage();
    const { page } = opened;
    await go(page, "#/market/XLM/USDC");
    await page.locator(".candle-legend span").first().waitFor();
    const lengths = page.getByRole("group", { name: "Candle length" }).getByRole("button");
    const names = ["5m", "15m", "30m", "1h", "2h", "4h", "12h", "1d", "3d", "1w", "2w"];
    assert.deepEqual(await lengths.allTextContents(), names);
    const newest = page.locator(".candle-holder");
    for (const name of ["2w", "1h"]) {
      await lengths.filter({ hasText: new RegExp(`^${name}$`) }).click();
      const length = { "2w": 1_209_600, "1h": 3600 }[name] ?? 0;
      await settled(async () => {
        const label = (await newest.getAttribute("aria-label")) ?? "";
        const [, time = ""] = /from (.*) UTC/.exec(label) ?? [];
        assert.equal((Date.parse(`${time}Z`) / 1000) % length, 0, label);
        const [found] = await world().api.get(
          `/candles?market=XLM/${await token("USDC")}&resolution=${length}&from=${Date.parse(`${time}Z`) / 1000}`,
        );
        assert.ok(found !== undefined, label);
        assert.ok(label.includes(`close ${found[4]},`), label);
      });
    }
    for (const name of ["MA", "VWAP", "Trades"]) {
      const toggle = page.getByRole("button", { name, exact: true });
      const pressed = await toggle.getAttribute("aria-pressed");
      await toggle.click();
      await toggle.and(page.locator(`:not([aria-pressed=${pressed}])`)).waitFor();
    }
    const steps = page.getByLabel("Price step");
    const stepNumbers = async () => (await steps.locator("option").allTextContents()).map(Number);
    await settled(async () => {
      const numbers = await stepNumbers();
      assert.ok(numbers.length > 2, String(numbers));
      numbers.slice(1).forEach((step, at) => {
        assert.ok(Math.abs(step / (numbers[at] ?? 0) - 10) < 1e-9, String(numbers));
      });
    });
    await steps.selectOption("2");
    await settled(async () => {
      const numbers = await stepNumbers();
      for (const text of await page.locator(".bids .ladder-price[href]").allTextContents()) {
        const levels = Number(text) / (numbers[2] ?? 1);
        assert.ok(Math.abs(levels - Math.round(levels)) < 1e-6, text);
      }
    });
    await page.getByRole("button", { name: "Full screen" }).click();
    await until(page, "document.fullscreenElement?.matches('.panel.chart')");
    await page.getByRole("button", { name: "Full screen" }).click();
    await until(page, "document.fullscreenElement === null");
    assertClean(opened);
    await opened.close();
  });

  it("shows times of the place where a person wants them, and remembers it", async () => {
    const opened = await ownPage({ timezoneId: "Asia/Kathmandu" });
    const { page } = opened;
    const cell = page.locator(".tape-row:not(.tape-head):not([hidden]) > .muted").first();
    await go(page, "#/market/XLM/USDC");
    await cell.and(page.locator("[title$=UTC]")).waitFor();
    await page.getByRole("button", { name: /^Times are UTC/ }).click();
    await cell.and(page.locator("[title$=local]")).waitFor();
    await settled(async () => {
      const local = (await cell.getAttribute("title")) ?? "";
      const records: readonly Row[] = await world().api.get(
        `/trades?pair=${await token("native")}&pair=${await token("USDC")}&limit=50`,
      );
      const newest = records.find(({ type, crossfill }) => type === "trade" && !crossfill);
      const ahead =
        Date.parse(`${local.replace(" local", "")}Z`) - Date.parse(`${newest.timestamp}Z`);
      assert.equal(ahead / 60_000, 5 * 60 + 45);
    });
    await page.reload();
    await cell.and(page.locator("[title$=local]")).waitFor();
    assertClean(opened);
    await opened.close();
  });

  it("lists an account's past page by page, in the orientation of its markets", async () => {
    const opened = await newPage();
    const { page } = opened;
    const fills = new Map<string, number>();
    for (const { type, maker } of await world().api.get("/trades?limit=500")) {
      if (type === "trade") fills.set(maker, (fills.get(maker) ?? 0) + 1);
    }
    const [[owner] = [""]] = [...fills].sort(([, a], [, b]) => b - a);
    await go(page, `#/account/${owner}`);
    const rows = page.locator(".paged:visible tbody tr");
    const ids = () =>
      page
        .locator(".paged:visible tbody tr td:last-child code")
        .evaluateAll((codes) => codes.map((code) => code.getAttribute("title")));
    const listed = async (cursor: string) =>
      (await world().api.get(`/order-history?owner=${owner}&limit=50${cursor}`)) as Row[];
    const tab = (name: string) => page.getByRole("tab", { name });
    await tab("Live orders").press("ArrowRight");
    await tab("Order history").and(page.locator("[aria-selected=true]")).waitFor();
    await rows.first().waitFor();
    const first = await listed("");
    await settled(async () =>
      assert.deepEqual(
        await ids(),
        first.map(({ id }) => id),
      ),
    );
    const older = page.locator(".paged:visible").getByRole("button", { name: "Older" });
    if (first.length === 50) {
      await older.click();
      const second = await listed(`&cursor=${first.at(-1)?.cursor}`);
      await settled(async () =>
        assert.deepEqual(
          await ids(),
          second.map(({ id }) => id),
        ),
      );
      await page.locator(".paged:visible").getByRole("button", { name: "Newer" }).click();
      await settled(async () =>
        assert.deepEqual(
          await ids(),
          first.map(({ id }) => id),
        ),
      );
    } else await settled(async () => assert.ok(await older.isDisabled()));
    const { ticker } = await world().api.get("/ticker/24h");
    const markets = await page
      .locator(".paged:visible a.market-name")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    for (const href of markets) {
      assert.ok(
        ticker.some(({ symbol }: Row) => href === `#/market/${symbol}`),
        String(href),
      );
    }
    const [failed] = await world().api.get("/failures?limit=200");
    await go(page, `#/account/${failed.caller}`);
    await tab("Failures").click();
    await rows.first().waitFor();
    for (const words of await page.locator(".paged:visible .words").allTextContents()) {
      assert.doesNotMatch(words, /^[0-9]*$/);
    }
    assertClean(opened);
    await opened.close();
  });
}
