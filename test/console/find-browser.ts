// Where the browser is that the console is tested with.
import { existsSync } from "node:fs";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** CHROMIUM_PATH, or the first usual place where there is one; undefined without. */
export function findBrowser(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") return named;
  return PLACES.find((path) => existsSync(path));
}

/** Said by whoever goes without. */
export const NO_BROWSER =
  "no Chromium found: the console's browser tests are left out; install it or set CHROMIUM_PATH";
