// Pictures of every view of the console, at three widths, light and dark, into dist/screenshots: for
// people to look at. `npm run screenshots`; with a name only the pictures whose name contains it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchBrowser, openConsole } from "./browser.ts";
import { findBrowser, NO_BROWSER } from "./find-browser.ts";
import { ConsoleWorld } from "./world.ts";

/** Six hours of a market, so that there is something to see: 5 s a ledger. */
const LEDGERS = 4320;
const LEDGER_SECONDS = 5;
/** For answers, drawings and the typeface. */
const SETTLE_MS = 2500;
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1000 },
] as const;
const SCHEMES = ["light", "dark"] as const;

const output = fileURLToPath(new URL("../../screenshots", import.meta.url));
const wanted = process.argv[2] ?? "";
const executable = findBrowser();
if (executable === undefined) {
  process.stderr.write(`${NO_BROWSER}\n`);
  process.exit(1);
}

mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "hopbook-screenshots-"));
const world = await ConsoleWorld.start("hopbook", folder, {
  ledgers: LEDGERS,
  startTime: Math.floor(Date.now() / 1000) - LEDGERS * LEDGER_SECONDS,
  transactionsPerLedger: 6,
  diagnostics: false,
});
const closing = setInterval(() => world.devnet.closeLedger(), LEDGER_SECONDS * 1000);
const browser = await launchBrowser(executable);
for (const [view, hash] of Object.entries(await hashes())) {
  for (const size of SIZES) {
    for (const colorScheme of SCHEMES) {
      const name = `${view}-${size.width}-${colorScheme}`;
      if (name.includes(wanted)) await shoot(name, hash, { viewport: size, colorScheme });
    }
  }
}
clearInterval(closing);
await browser.close();
await world.stop();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${output}\n`);

async function hashes(): Promise<Readonly<Record<string, string>>> {
  const { ticker } = await world.api.get("/ticker/24h");
  const names = (await world.api.get("/console/assets.json")) as Record<string, string>;
  const xlm = Object.keys(names).find((address) => names[address] === "native") ?? "";
  const usdc = Object.keys(names).find((address) => names[address]?.startsWith("USDC:")) ?? "";
  const known = ticker.find(({ symbol }: { symbol: string }) => symbol === `${xlm}/${usdc}`);
  const [order] = await world.api.get("/order?limit=1");
  return {
    markets: "#/",
    market: `#/market/${(known ?? ticker[0]).symbol}`,
    quote: `#/quote?selling=${usdc}&buying=${xlm}&amount=2500`,
    "quote-empty": "#/quote?amount=0",
    account: `#/account/${order.owner}`,
    accounts: "#/account",
    wallet: "#/wallet",
    engine: "#/engine",
  };
}

async function shoot(name: string, hash: string, options: object): Promise<void> {
  const { page, close } = await openConsole(browser, { origin: world.origin, hash, ...options });
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: join(output, `${name}.png`) });
  await close();
}
