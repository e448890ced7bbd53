// Starts a devnet in a process of its own, so that it does not block the caller's thread.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Address } from "../model/address.ts";
import type { HistoryProgress } from "./devnet.ts";
import type { DevnetInput } from "./options.ts";

/** From the process to its parent. */
export type DevnetMessage =
  | { readonly kind: "history"; readonly progress: HistoryProgress }
  | {
      readonly kind: "ready";
      readonly url: string;
      readonly exchange: Address;
      readonly referencePrices: readonly (readonly [token: Address, usd: string])[];
    }
  | { readonly kind: "failed"; readonly message: string };

export type DevnetProcess = {
  readonly pid: number | undefined;
  readonly url: string;
  /** The exchange contract of its network. */
  readonly exchange: Address;
  /** USD per token, plain decimals, about which its prices move. */
  readonly referencePrices: ReadonlyMap<string, string>;
  /** Resolves with the exit code once the process has ended, for whatever reason. */
  readonly exited: Promise<number | null>;
  /** Ends it without notice, as `kill -9` does. */
  kill(): void;
  /** Stops it and waits for its end. */
  stop(): Promise<void>;
};

/** V8's young generation: large enough for the objects of one ledger, so that they are not promoted. */
const SEMI_SPACE_MB = 64;

/**
 * Resolves once it serves and its past is made; `onHistory` gets the progress of that. Rejects with an Error
 * that says why the devnet cannot start. The process ends with its parent.
 */
export async function spawnDevnet(
  options: DevnetInput,
  onHistory: (progress: HistoryProgress) => void = () => undefined,
): Promise<DevnetProcess> {
  const child = fork(fileURLToPath(new URL("./devnet-process.js", import.meta.url)), [], {
    execArgv: ["--enable-source-maps", `--max-semi-space-size=${SEMI_SPACE_MB}`],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit").then(([code]: unknown[]) =>
    typeof code === "number" ? code : null,
  );
  child.send(options);
  const first = await Promise.race([started(child, onHistory), exited]);
  if (typeof first === "object" && first !== null && first.kind === "ready") {
    const { url, exchange } = first;
    const referencePrices = new Map(first.referencePrices);
    const kill = () => void child.kill("SIGKILL");
    const { pid } = child;
    return { pid, url, exchange, referencePrices, exited, kill, stop: () => stop(child, exited) };
  }
  const why = typeof first === "object" && first !== null ? first.message : `exit code ${first}`;
  throw new Error(`the devnet could not start: ${why}`);
}

type Started = Exclude<DevnetMessage, { kind: "history" }>;

function started(
  child: ChildProcess,
  onHistory: (progress: HistoryProgress) => void,
): Promise<Started> {
  return new Promise((resolve) => {
    child.on("message", (message: DevnetMessage) => {
      if (message.kind === "history") onHistory(message.progress);
      else resolve(message);
    });
  });
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  // Closing the channel stops it, as the death of the parent does.
  if (child.connected) child.disconnect();
  await exited;
}
