// A devnet in a process of its own: it must not take the caller's thread.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Address } from "../model/address.ts";
import type { DevnetInput } from "./options.ts";

/** From the process to its parent. */
export type DevnetMessage =
  | { readonly kind: "ready"; readonly url: string; readonly exchange: Address }
  | { readonly kind: "failed"; readonly message: string };

export type DevnetProcess = {
  readonly url: string;
  /** The exchange contract of its network. */
  readonly exchange: Address;
  /** Resolves with the exit code once the process is gone, however that came about. */
  readonly exited: Promise<number | null>;
  /** Ends it without notice, as `kill -9` does. */
  kill(): void;
  /** Stops it and waits for its end. */
  stop(): Promise<void>;
};

/** Young objects die within a ledger: room for one keeps them from being moved about. */
const SEMI_SPACE_MB = 64;

/** Rejects with an Error that says why where the devnet cannot start. It ends with its parent. */
export async function spawnDevnet(options: DevnetInput): Promise<DevnetProcess> {
  const child = fork(fileURLToPath(new URL("./devnet-process.js", import.meta.url)), [], {
    execArgv: ["--enable-source-maps", `--max-semi-space-size=${SEMI_SPACE_MB}`],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit").then(([code]: unknown[]) =>
    typeof code === "number" ? code : null,
  );
  const sent: DevnetInput = { ...options, record: false };
  child.send(sent);
  const first = await Promise.race([firstMessage(child), exited]);
  if (typeof first === "object" && first !== null && first.kind === "ready") {
    const { url, exchange } = first;
    const kill = () => void child.kill("SIGKILL");
    return { url, exchange, exited, kill, stop: () => stop(child, exited) };
  }
  const why = typeof first === "object" && first !== null ? first.message : `exit code ${first}`;
  throw new Error(`the devnet could not start: ${why}`);
}

async function firstMessage(child: ChildProcess): Promise<DevnetMessage> {
  const [message] = (await once(child, "message")) as [DevnetMessage];
  return message;
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  // The end of the channel is what tells it to stop, as it does when the parent dies.
  if (child.connected) child.disconnect();
  await exited;
}
