import type { EngineConfig, NetworkConfig } from "./config.ts";

export type PageNetwork = {
  readonly passphrase: string;
  /** Undefined: pages send no transactions. The engine's own RPC is private by default. */
  readonly rpc: string | undefined;
  /** The friendbot's URL where it is not the RPC's host; the RPC names it to the pages. */
  readonly faucet: string | undefined;
};

/** The network as the console's pages see it, and the servers that they may ask. */
export function pageNetwork(
  { consoleRpc }: Pick<EngineConfig, "consoleRpc">,
  { networkPassphrase: passphrase, open, faucetUrl }: NetworkConfig,
): PageNetwork {
  const named = /^https?:/.test(consoleRpc) ? consoleRpc : undefined;
  const rpc = consoleRpc === "auto" ? open?.rpcUrl : named;
  return { passphrase, rpc, faucet: rpc === undefined ? undefined : faucetUrl };
}
