/** JSON-RPC error codes as Stellar RPC uses them (ledger.md, 1). */
export const RpcCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;
export type RpcCode = (typeof RpcCode)[keyof typeof RpcCode];

/** Becomes the error of a JSON-RPC answer. */
export class RpcError extends Error {
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string) {
    super(message);
    this.name = "RpcError";
    this.code = code;
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(RpcCode.invalidParams, message);
}
