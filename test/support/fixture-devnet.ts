// The fixture's network in a process of its own, to be killed and started again on its folder.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startDevnet } from "../../src/devnet/devnet.ts";
import { createFixture } from "./devnet/fixture.ts";

type Settings = {
  readonly seed: string;
  readonly passphrase: string;
  readonly directory: string;
  /** Milliseconds between ledgers. */
  readonly ledgerTime: number;
};

export type FixtureDevnet = {
  readonly url: string;
  /** As `kill -9` does; resolves once the process is gone. */
  kill(): Promise<void>;
};

export async function forkFixtureDevnet(settings: Settings): Promise<FixtureDevnet> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [JSON.stringify(settings)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [url] = (await once(child, "message")) as [string];
  return {
    url,
    kill: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Runs in the forked process; it ends with its parent. */
async function run(text: string): Promise<void> {
  const settings: Settings = JSON.parse(text);
  const { seed, passphrase } = settings;
  const { scenario } = createFixture(seed, passphrase);
  const devnet = await startDevnet({ ...settings, port: 0 }, scenario);
  process.on("disconnect", () => process.exit(0));
  process.send?.(devnet.url);
}

const [, path, settings] = process.argv;
if (path === fileURLToPath(import.meta.url) && settings !== undefined) await run(settings);
