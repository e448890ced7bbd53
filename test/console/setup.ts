// What cases share that are in files of their own: one browser and one engine for all of them.
import type { BrowserContextOptions } from "playwright-core";
import type { WatchedPage } from "./browser.ts";
import type { ConsoleWorld } from "./world.ts";

export type Setup = {
  readonly world: () => ConsoleWorld;
  /** A page of its own that shows nothing yet. */
  readonly page: (options: BrowserContextOptions) => Promise<WatchedPage>;
};
