// Trading from the page: with a test key of its own, and with Freighter, whose part is played by a script
// in the page that speaks the extension's messages and signs with a key of the test's.
import assert from "node:assert/strict";
import { it } from "node:test";
import { Keypair, TransactionBuilder } from "@stellar/stellar-sdk";
import type { Page } from "playwright-core";
import type { Row } from "../e2e/api-client.ts";
import { settled } from "../e2e/settled.ts";
import { until, WAIT_MS_MAX, type WatchedPage } from "./browser.ts";
import type { Setup } from "./setup.ts";

const ATTEMPTS_MAX = 20;
/** Between two looks at the network's queue, which cost nothing. */
const LOOK_MS = 20;
const LOOKS_A_LEDGER = 100;

export function tradingCases({ world, page: newPage, ownPage }: Setup): void {
  const go = (page: Page, hash: string) => page.goto(`${world().origin}/console${hash}`);

  /** Until it is done, closes a ledger for each transaction that waits for one, and now and then one for the rest. */
  async function closing<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // Whoever awaits it sees the rejection.
    done.catch(() => undefined);
    for (let looks = 1; !isDone; looks += 1) {
      if (world().devnet.waitingCount > 0 || looks % LOOKS_A_LEDGER === 0) await world().close(1);
      const later = new Promise((run) => setTimeout(run, LOOK_MS));
      await Promise.race([done.catch(() => undefined), later]);
    }
    return done;
  }

  function assertAsksNobodyElse({ errors, foreign }: WatchedPage): void {
    assert.deepEqual(errors, []);
    const { origin } = new URL(world().devnet.url);
    assert.deepEqual(
      foreign.filter((url) => new URL(url).origin !== origin),
      [],
    );
  }

  async function outcome(page: Page): Promise<string> {
    const text = page.locator(".transaction-outcome").filter({ hasText: /[a-z]/ });
    await closing(text.waitFor());
    const said = (await text.textContent()) ?? "";
    await page.getByRole("button", { name: "Close" }).click();
    return said;
  }

  /** Others trade too, and freeze and thaw the exchange: what they prevented is tried again. */
  async function tried(page: Page, act: () => Promise<void>, wanted: RegExp): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await act();
      const said = await outcome(page);
      if (wanted.test(said)) return;
      assert.ok(attempt < ATTEMPTS_MAX, `${said} instead of ${wanted}`);
      await world().close(2);
    }
  }

  async function withMoney(page: Page): Promise<string> {
    await go(page, "#/wallet");
    await page.getByRole("button", { name: "Make a test key" }).click();
    await page.getByRole("button", { name: "Get test money" }).click();
    assert.equal(await outcome(page), "Done.");
    await closing(page.getByText("The money is there.").waitFor());
    const address = await page.locator(".wallet-address a[title^=G]").getAttribute("title");
    return address ?? assert.fail("the wallet shows its account");
  }

  it("trades on a test network with a key of the page's own", async () => {
    const opened = await newPage();
    const { page } = opened;
    const address = await withMoney(page);

    await go(page, "#/market/XLM/USDC");
    const ladder = page.locator(".bids .ladder-price[href]");
    await ladder.first().waitFor();
    await page.getByLabel(/^Price, USDC/).fill("0.000001");
    await page.getByLabel(/^Amount, XLM/).fill("12.5");
    const buy = () => page.getByRole("button", { name: "Buy XLM" }).click();
    await tried(page, buy, /^Done\.$|nothing was charged: 720 OrderSizeTooSmall/);
    await page.getByLabel(/^Price, USDC/).fill("1000");
    await page.getByLabel(/^Amount, XLM/).fill("1000000000");
    const words = /nothing was sent and nothing was charged: .*[A-Z][a-z]+[A-Z][a-z]+/;
    await tried(page, buy, words);
    await page.getByLabel(/^Price, USDC/).fill("no price");
    await page.getByRole("button", { name: "Buy XLM" }).click();
    await page.getByText(/A price and an amount above zero/).waitFor();
    // Far from the market: nobody takes it meanwhile.
    const best = (Number(await ladder.first().textContent()) * 0.8).toPrecision(4);
    await page.getByLabel(/^Price, USDC/).fill(best);
    await page.getByLabel(/^Amount, XLM/).fill("300");
    await tried(page, buy, /^Done/);
    const orders = async () => (await world().api.get(`/account/${address}`)).orders as Row[];
    const isPlaced = ({ rprice }: Row) => Math.abs(Number(rprice) * Number(best) - 1) < 1e-9;
    await settled(async () => assert.ok((await orders()).some(isPlaced), best));
    const placed = (await orders()).findLast(isPlaced);

    await go(page, `#/account/${address}`);
    await page.reload();
    const row = page
      .locator(".order-row:not(.order-head)")
      .filter({ hasText: best.slice(0, 6) })
      .last();
    const change = async (): Promise<void> => {
      await row.getByRole("button", { name: "Change" }).click();
      await page.getByLabel(/^Amount, XLM/).fill("250");
      await page.getByRole("button", { name: "Change", exact: true }).last().click();
    };
    await tried(page, change, /^Done/);
    await settled(async () => {
      const changed = (await orders()).find(({ id }) => id === placed?.id);
      assert.equal(changed?.price, placed?.price, "the price stays to the last digit");
      assert.equal(Math.round(Number(changed?.amount) * Number(placed?.rprice)), 2_500_000_000);
    });
    await tried(page, () => row.getByRole("button", { name: "Cancel" }).click(), /^Done/);
    await settled(async () => {
      assert.ok(!(await orders()).some(({ id }) => id === placed?.id));
    });

    for (const call of ["trade", "swap"]) {
      const [base, quote] = (await xlmUsdc()) as [string, string];
      await go(page, "#/");
      await go(page, `#/quote?selling=${quote}&buying=${base}&amount=1.5&direct=true`);
      const shown = page
        .locator(".call")
        .filter({ has: page.getByRole("heading", { name: call }) });
      await world().routed(page);
      await shown.getByText(/The caller has approved|may move/).waitFor();
      await page.getByLabel("Tolerance of a swap").selectOption("100");
      const send = () => shown.getByRole("button", { name: "Send" }).click();
      const newest = async () =>
        (await world().api.get(`/trades?trader=${address}&limit=1`))[0]?.id;
      const before = await newest();
      // A call of kind Fill may find its orders gone, and fills nothing then.
      for (let attempt = 0; (await newest()) === before; attempt += 1) {
        assert.ok(attempt < ATTEMPTS_MAX, "the quote is taken");
        await tried(page, send, /^Done/);
      }
      await go(page, `#/market/${base}/${quote}`);
      await page.locator(`.tape-row a[title="${address}"]`).first().waitFor();
    }
    assertAsksNobodyElse(opened);

    await go(page, "#/wallet");
    await page.getByRole("button", { name: "Export the key" }).click();
    const secret = (await page.locator(".wallet-secret").textContent()) ?? "";
    assert.equal(Keypair.fromSecret(secret).publicKey(), address);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByRole("button", { name: "Make a test key" }).waitFor();
    assert.equal(await page.evaluate(`JSON.stringify(localStorage).includes("${secret}")`), false);
    await page.getByLabel("Secret key").fill(secret.slice(0, -1));
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByText("That is no secret key").waitFor();
    await page.getByLabel("Secret key").fill(secret);
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.locator(`.wallet-address a[title="${address}"]`).waitFor();
    await opened.close();
  });

  async function xlmUsdc(): Promise<readonly (string | undefined)[]> {
    const names: Record<string, string> = await world().api.get("/console/assets.json");
    return ["native", "USDC"].map((name) =>
      Object.keys(names).find((address) => names[address]?.split(":")[0] === name),
    );
  }

  it("makes no key where the network gives no money away, and signs through Freighter there", async () => {
    const opened = await ownPage({});
    const { page } = opened;
    const key = Keypair.random();
    const { passphrase } = world().devnet.network;
    const funded = fetch(`${world().devnet.url}/friendbot?addr=${key.publicKey()}`, {
      method: "POST",
    });
    assert.equal((await closing(funded)).status, 200);
    await page.route(`${world().devnet.url}/**`, (route) => withoutFaucet(route));
    await page.exposeFunction("signWithKey", (xdr: string) => {
      const transaction = TransactionBuilder.fromXDR(xdr, passphrase);
      transaction.sign(key);
      return transaction.toXDR();
    });
    await page.addInitScript({ content: freighterScript(key.publicKey()) });
    await go(page, "#/wallet");
    await page.getByText("the page keeps no keys for it").waitFor();
    await page.getByRole("button", { name: "Make a test key" }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Use Freighter" }).click();
    await page.getByText("Freighter signs for this account").waitFor();
    const [base, quote] = (await xlmUsdc()) as [string, string];
    await go(page, `#/market/${base}/${quote}`);
    const best = page.locator(".asks .ladder-price[href]").nth(3);
    await best.waitFor();
    await page.getByRole("button", { name: "Sell", exact: true }).click();
    await page.getByLabel(/^Price, USDC/).fill((await best.textContent()) ?? "");
    await page.getByLabel(/^Amount, XLM/).fill("900");
    // It holds lumens alone: what the order would be paid in it cannot receive.
    const sell = () => page.getByRole("button", { name: "Sell XLM" }).click();
    await tried(page, sell, /708 CannotReceive|^Done\.$/);
    await page.evaluate("window.refuses = true");
    await tried(page, sell, /CannotReceive|the signer refused it: the person said no/);
    assertAsksNobodyElse(opened);
    await opened.close();
  });

  it("keeps the key that a browser has: after Freighter, and made or replaced in another tab", async () => {
    const opened = await ownPage({});
    const { page } = opened;
    const freighter = Keypair.random().publicKey();
    await page.addInitScript({ content: freighterScript(freighter) });
    const account = (of: Page, address: string) =>
      of.locator(`.wallet-address a[title="${address}"]`).waitFor();
    const make = (of: Page) => of.getByRole("button", { name: "Make a test key" });
    await go(page, "#/wallet");
    await make(page).waitFor();
    const other = await page.context().newPage();
    await go(other, "#/wallet");
    await make(other).click();
    const address = await other.locator(".wallet-address a[title^=G]").getAttribute("title");
    assert.ok(address !== null);

    const another = Keypair.random();
    const asked: string[] = [];
    page.once("dialog", (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByLabel("Secret key").fill(another.secret());
    await page.getByRole("button", { name: "Use this key" }).click();
    await settled(async () => assert.match(String(asked), /another key.*Replace it/));
    await make(page).click();
    await account(page, address);
    await page.getByRole("button", { name: "Use Freighter" }).click();
    await account(page, freighter);
    await page.getByRole("button", { name: "Disconnect" }).click();
    await account(page, address);
    await page.reload();
    await account(page, address);
    assertAsksNobodyElse(opened);

    const chunk = "**/console/sdk-*.js";
    await page.route(chunk, (route) => route.abort());
    await page.reload();
    await page.getByText(/could not be loaded: try again/).waitFor();
    assert.ok(await make(page).isHidden());
    await page.unroute(chunk);
    await page.getByRole("button", { name: "Try again" }).click();
    await account(page, address);
    await opened.close();
  });

  it("sends nothing before it knows what the account's orders sell", async () => {
    const opened = await ownPage({});
    const { page } = opened;
    const held: (() => void)[] = [];
    let isHolding = true;
    await page.routeWebSocket(/.*/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const send = () => server.send(message);
        if (isHolding && String(message).includes('"account"')) held.push(send);
        else send();
      });
    });
    await go(page, "#/wallet");
    await page.getByRole("button", { name: "Make a test key" }).click();
    await page.locator(".wallet-address a").waitFor();
    const words = page.getByText(/Nothing is sent before the account's orders and approvals are/);
    await go(page, "#/market/XLM/USDC");
    await words.waitFor();
    const buy = page.getByRole("button", { name: "Buy XLM" });
    await settled(async () => assert.ok(await buy.isDisabled()));
    const [base, quote] = await xlmUsdc();
    await go(page, `#/quote?selling=${quote}&buying=${base}&amount=1.5&direct=true`);
    await world().routed(page);
    await words.first().waitFor();
    const send = page.getByRole("button", { name: "Send" }).first();
    await settled(async () => assert.ok(await send.isDisabled()));
    isHolding = false;
    for (const one of held) one();
    await settled(async () => {
      assert.ok(await send.isEnabled());
      assert.equal(await words.count(), 0);
    });
    await go(page, "#/market/XLM/USDC");
    await settled(async () => assert.ok(await buy.isEnabled()));
    assertAsksNobodyElse(opened);
    await opened.close();
  });

  it("offers the call to copy where the engine names no RPC for its pages", async () => {
    const opened = await newPage();
    const { page } = opened;
    const passphrase = "Public";
    await page.route("**/console/network.json", (route) => route.fulfill({ json: { passphrase } }));
    await go(page, "#/wallet");
    await page.getByText(/names no RPC.*Contract calls can be copied/).waitFor();
    await until(page, "!document.querySelector('.wallet-actions button:not([hidden])')");
    assertAsksNobodyElse(opened);
    await opened.close();
    const other = await newPage();
    await other.page.route("**/console/network.json", (route) =>
      route.fulfill({ json: { passphrase, rpc: world().devnet.url } }),
    );
    await go(other.page, "#/wallet");
    await other.page.getByText(/is of another network/).waitFor({ timeout: WAIT_MS_MAX });
    await other.page.getByRole("button", { name: "Make a test key" }).waitFor({ state: "hidden" });
    await other.close();
  });
}

type Route = Parameters<Parameters<Page["route"]>[1]>[0];

/** As a network of real money answers. */
async function withoutFaucet(route: Route): Promise<void> {
  const isAsked = (route.request().postData() ?? "").includes('"getNetwork"');
  if (!isAsked) return route.fallback();
  const answer = await route.fetch();
  const body = (await answer.json()) as { result: Record<string, unknown> };
  delete body.result.friendbotUrl;
  return route.fulfill({ response: answer, json: body });
}

/** Answers the extension's messages as its content script does. */
function freighterScript(address: string): string {
  return `
    window.freighter = true;
    addEventListener("message", async ({ data }) => {
      if (data?.source !== "FREIGHTER_EXTERNAL_MSG_REQUEST") return;
      const answer = {
        REQUEST_CONNECTION_STATUS: async () => ({ isConnected: true }),
        REQUEST_ACCESS: async () => ({ publicKey: "${address}" }),
        SUBMIT_TRANSACTION: async () =>
          window.refuses
            ? { apiError: { code: -4, message: "the person said no" } }
            : { signedTransaction: await signWithKey(data.transactionXdr), signerAddress: "${address}" },
      }[data.type];
      const source = "FREIGHTER_EXTERNAL_MSG_RESPONSE";
      postMessage({ source, messagedId: data.messageId, messageId: data.messageId, ...(await answer?.()) }, location.origin);
    });
  `;
}
