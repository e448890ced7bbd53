// What lies where in a data folder.
import { join } from "node:path";

/** The folder of the store in a data folder. A backup is a data folder too. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, "store");
}
