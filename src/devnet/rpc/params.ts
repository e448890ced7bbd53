// Reading a request's parameters; anything of a wrong type is refused with its name.
import { invalidParams, type RpcError } from "./rpc-error.ts";

export type Params = Readonly<Record<string, unknown>>;

export function objectParam(params: Params, name: string): Params {
  const value = params[name];
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return { ...value };
  throw wrong(name, "an object");
}

export function integerParam(params: Params, name: string): number | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong(name, "a non-negative integer");
}

export function booleanParam(params: Params, name: string): boolean | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  throw wrong(name, "a boolean");
}

/** An empty string counts as absent, as the servers take it. */
export function stringParam(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw wrong(name, "a string");
}

export function stringsParam(params: Params, name: string): readonly string[] {
  const value = params[name];
  if (!Array.isArray(value)) throw wrong(name, "a list of strings");
  return value.map((item: unknown) => {
    if (typeof item !== "string") throw wrong(name, "a list of strings");
    return item;
  });
}

/** Undefined where `text` is no base64. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length > 0 && bytes.toString("base64") === text ? bytes : undefined;
}

/** Throws -32602 for the other format a public server offers. */
export function requireBase64Format(params: Params): void {
  const format = stringParam(params, "xdrFormat") ?? "base64";
  if (format !== "base64") {
    throw invalidParams(`xdrFormat ${format} is not served by this network`);
  }
}

/** Where a page begins: 0 or undefined where nothing is said. */
export function pageParams(params: Params) {
  const pagination = objectParam(params, "pagination");
  return {
    startLedger: integerParam(params, "startLedger") ?? 0,
    cursor: stringParam(pagination, "cursor"),
    limit: integerParam(pagination, "limit") ?? 0,
  };
}

/** Rows of a page. */
export function limitWithin(
  limit: number,
  { most, otherwise }: Readonly<Record<"most" | "otherwise", number>>,
) {
  if (limit > most) throw invalidParams(`limit must not exceed ${most}`);
  return limit === 0 ? otherwise : limit;
}

function wrong(name: string, expected: string): RpcError {
  return invalidParams(`invalid parameters: ${name} must be ${expected}`);
}
