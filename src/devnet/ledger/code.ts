// Which model runs a contract: a Stellar Asset Contract by its executable, the others by the hash
// of their code.
import type { ContractModel, ExchangeHost } from "../contract/host.ts";
import { runPlainToken } from "../tokens/plain-token.ts";
import { runSac } from "../tokens/sac.ts";
import { hex } from "./hash.ts";
import type { Code, CodeOf } from "./invocation.ts";

export type Models = readonly {
  /** Hash of the code. */
  readonly hash: Uint8Array;
  readonly run: ContractModel<ExchangeHost>;
}[];

const SAC: Code = { native: true, run: runSac };

export function codeOf(models: Models, plainToken: Uint8Array): CodeOf {
  const codes = new Map<string, Code>(
    models.map(({ hash, run }) => [hex(hash), { native: false, run }]),
  );
  codes.set(hex(plainToken), { native: false, run: runPlainToken });
  return (executable) => (executable.kind === "token" ? SAC : codes.get(hex(executable.hash)));
}
