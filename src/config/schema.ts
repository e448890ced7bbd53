// Schemas that settings share. Each message completes the line "PORT: <message>, got <text>".
import { statSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { parseIntoClientConfig } from "pg-connection-string";
import { z } from "zod";
import { parseContractAddress } from "../model/address.ts";
import { parseAssetText } from "../model/asset-text.ts";

export const PORT_MAX = 65_535;

export function integerSchema(min: number, max: number) {
  const message = `expected an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
}

/** What `read` makes of the text; undefined: it is not what was expected. */
function readSchema<T>(expected: string, read: (text: string) => T | undefined) {
  return z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: `expected ${expected}` });
    return z.NEVER;
  });
}

/** A port, or `off` for no listener. */
export const portOrOffSchema = readSchema(
  `an integer from 0 to ${PORT_MAX}, or off`,
  (text): number | "off" | undefined => {
    if (text === "off") return text;
    const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
    return port <= PORT_MAX ? port : undefined;
  },
);

/** Addresses and networks (10.0.0.0/8), separated by commas. */
export const addressListSchema = z.string().transform((text, context): BlockList => {
  const list = new BlockList();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [address = "", prefix] = entry.split("/");
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const length = prefix === undefined ? bits : Number(prefix);
    if (version === 0 || !/^[0-9]{1,3}$/.test(prefix ?? "0") || length > bits) {
      const message = `expected IP addresses or networks (10.0.0.0/8) separated by commas, not ${entry}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
  }
  return list;
});

/** A share: `off` (0), or a decimal above 0 and up to 1. */
export const shareSchema = readSchema("off, or a share above 0 and up to 1", (text) => {
  if (text === "off") return 0;
  const share = /^[01](?:\.[0-9]{1,6})?$/.test(text) ? Number(text) : 0;
  return share > 0 && share <= 1 ? share : undefined;
});

export function wordsSchema<const Words extends readonly string[]>(words: Words) {
  const expected = `some of ${words.join(", ")}, separated by commas`;
  return readSchema(expected, (text): ReadonlySet<Words[number]> | undefined => {
    const given = text.split(",").map((word) => word.trim());
    const known = given.filter((word) => word !== "");
    const areAll = known.every((word): word is Words[number] => words.includes(word));
    return areAll ? new Set(known) : undefined;
  });
}

const DAY_SECONDS = 86_400;

/** Seconds: `forever` (Infinity), 0, or days as 400d. */
export const keepSchema = readSchema("forever, 0, or days as 400d", (text) => {
  if (text === "forever") return Number.POSITIVE_INFINITY;
  if (text === "0") return 0;
  const days = /^([1-9][0-9]{0,5})d$/.exec(text)?.[1];
  return days === undefined ? undefined : Number(days) * DAY_SECONDS;
});

/** Seconds: `forever` (Infinity), or days. The ticker needs one of them, by a clock that is ahead of the ledgers. */
export const keepHistorySchema = keepSchema.refine(
  (seconds) => seconds >= 2 * DAY_SECONDS,
  "expected forever, or days from 2d",
);

const UTC_TIME = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})Z?)?$/;

/** UNIX seconds, or UTC as the API writes it, as ISO 8601, or a date alone, which is its first second. */
export const timeSchema = readSchema("UNIX seconds, 2026-05-01 or 2026-05-01T12:00:00Z", (text) => {
  if (/^[0-9]{1,11}$/.test(text)) return Number(text);
  const [, day, time = "00:00:00"] = UTC_TIME.exec(text) ?? [];
  const iso = `${day}T${time}.000Z`;
  const at = new Date(iso);
  // A day that no month has would become one of the next month.
  if (Number.isNaN(at.getTime()) || at.toISOString() !== iso) return undefined;
  return at.getTime() / 1000;
});

export function choiceSchema<const Choices extends readonly [string, ...string[]]>(
  choices: Choices,
) {
  return z.string().pipe(z.enum(choices, { error: `expected one of ${choices.join(", ")}` }));
}

export const textSchema = z.string().min(1, "expected a text");

/** An IP address, or a host name (RFC 1123), whose last label is no number. */
export const hostSchema = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || HOST_NAME.test(text),
    "expected an IP address or a host name",
  );

const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?![0-9]+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A data lake: a directory that is there, or a URL. */
export const lakeSchema = z
  .string()
  .refine(
    (text) => isHttpUrl(text) || isDirectory(text),
    "expected a directory that exists, or an http or https URL",
  );

export const httpUrlSchema = z.string().refine(isHttpUrl, "expected an http or https URL");

/** `auto`, `off`, or the URL of an RPC that pages may ask: without credentials, query and fragment. */
export const consoleRpcSchema = z
  .string()
  .refine(
    (text) => text === "auto" || text === "off" || isPublicUrl(text),
    "expected auto, off, or an http or https URL without credentials, query and fragment",
  );

/** Several URLs, separated by commas. */
export const httpUrlsSchema = z
  .string()
  .transform((text) => text.split(",").map((url) => url.trim()))
  .refine((urls) => urls.every(isHttpUrl), "expected http or https URLs separated by commas");

export const contractSchema = readSchema("a contract address (C...)", parseContractAddress);

/** `XLM=0.25,USDC:ISSUER=1`: assets in any form that clients may use, and decimals. */
export const priceListSchema = z.string().transform((text, context) => {
  const prices = new Map<string, string>();
  for (const entry of text.split(",").filter((part) => part.trim() !== "")) {
    const [, asset, price] = /^\s*([^=\s]+)=([0-9]+(?:\.[0-9]+)?)\s*$/.exec(entry) ?? [];
    if (asset === undefined || price === undefined) {
      context.addIssue({ code: "custom", message: "expected ASSET=PRICE, separated by commas" });
      return z.NEVER;
    }
    if (parseAssetText(asset) === undefined) {
      const message = `expected XLM, CODE:ISSUER, CODE-ISSUER or C... before each "=", not ${asset}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    prices.set(asset, price);
  }
  return prices;
});

/** No message holds what was given, which may have a password in it. */
export const postgresSchema = z.string().superRefine((text, context) => {
  const fault = postgresFault(text);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

function postgresFault(text: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(text)) return "expected a URL as postgres://user@host/database";
  try {
    const mode = new URL(text.replace("@/", "@none/")).searchParams.get("sslmode");
    if (mode !== null && !SSL_MODES.includes(mode)) {
      return `expected a sslmode of ${SSL_MODES.join(", ")}`;
    }
    // Reads the files of certificates, too.
    parseIntoClientConfig(text);
    return undefined;
  } catch (error) {
    const { code, path } = error as { readonly code?: unknown; readonly path?: unknown };
    if (typeof path === "string") return `${path} cannot be read (${String(code)})`;
    return "not a URL that can be read: special characters in a name or password are written as %40";
  }
}

/** A name that needs no quotes. */
export const sqlNameSchema = z
  .string()
  .regex(
    /^[a-z_][a-z0-9_]{0,62}$/,
    "expected lower-case letters, digits and _, 63 at most, not beginning with a digit",
  )
  .refine((name) => !name.startsWith("pg_"), "expected a name that does not begin with pg_");

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === "http:" || protocol === "https:";
}

function isPublicUrl(text: string): boolean {
  if (!isHttpUrl(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === "";
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, or not to be looked at: neither can be read from.
    return false;
  }
}
