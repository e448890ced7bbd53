import type { EngineConfig, NetworkConfig } from "./config.ts";

export type PageNetwork = {
  readonly passphrase: string;
  /** Undefined: pages send nothing. A configured RPC may be nobody else's business. */
  readonly rpc: string | undefined;
  /** Where money is given away, if not by the RPC's host: the RPC names it to the pages, whichever it is. */
  readonly faucet: string | undefined;
};

/** What the console's pages are told of the network, and whom they may ask. */
export function pageNetwork(
  { consoleRpc }: Pick<EngineConfig, "consoleRpc">,
  { networkPassphrase: passphrase, open, faucetUrl }: NetworkConfig,
): PageNetwork {
  const named = /^https?:/.test(consoleRpc) ? consoleRpc : undefined;
  const rpc = consoleRpc === "auto" ? open?.rpcUrl : named;
  return { passphrase, rpc, faucet: rpc === undefined ? undefined : faucetUrl };
}
