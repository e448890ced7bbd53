// What cases share that are in files of their own: one browser and one engine for all of them.
import type { BrowserContextOptions } from "playwright-core";
import type { WatchedPage } from "./browser.ts";
import type { ConsoleWorld } from "./world.ts";

export type Setup = {
  readonly world: () => ConsoleWorld;
  /** The page that all share, as if it were new. */
  readonly page: () => Promise<WatchedPage>;
  /** One in a context of its own: for what the shared one cannot have, or would keep. */
  readonly ownPage: (options: BrowserContextOptions) => Promise<WatchedPage>;
};
