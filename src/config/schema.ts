// Schemas that settings share. Each message completes the line "PORT: <message>, got <text>". Written
// by hand, since a package for them takes a tenth of the engine's start.
import { BlockList, isIP } from "node:net";
import { type Address, parseContractAddress } from "../model/address.ts";
import { parseAssetText } from "../model/asset-text.ts";

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  /** What was expected. */
  | { readonly ok: false; readonly message: string };

export type TextSchema<Value> = (text: string) => Parsed<Value>;

export const PORT_MAX = 65_535;

export function integerSchema(min: number, max: number): TextSchema<number> {
  const expected = wrong(`expected an integer from ${min} to ${max}`);
  return (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? right(value) : expected;
  };
}

/** A port, or `off` for no listener. */
export const portOrOffSchema: TextSchema<number | "off"> = (text) => {
  if (text === "off") return right(text);
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= PORT_MAX) return right(port);
  return wrong(`expected an integer from 0 to ${PORT_MAX}, or off`);
};

/** Addresses and networks (10.0.0.0/8), separated by commas. */
export const addressListSchema: TextSchema<BlockList> = (text) => {
  const list = new BlockList();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [address = "", prefix] = entry.split("/");
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const length = prefix === undefined ? bits : Number(prefix);
    if (version === 0 || !/^[0-9]{1,3}$/.test(prefix ?? "0") || length > bits) {
      return wrong(
        `expected IP addresses or networks (10.0.0.0/8) separated by commas, not ${entry}`,
      );
    }
    list.addSubnet(address, length, version === 6 ? "ipv6" : "ipv4");
  }
  return right(list);
};

export function choiceSchema<const Choices extends readonly [string, ...string[]]>(
  choices: Choices,
): TextSchema<Choices[number]> {
  const expected = wrong(`expected one of ${choices.join(", ")}`);
  return (text) => {
    const choice = choices.find((each) => each === text);
    return choice === undefined ? expected : right(choice);
  };
}

export const textSchema: TextSchema<string> = (text) =>
  text === "" ? wrong("expected a text") : right(text);

export const httpUrlSchema: TextSchema<string> = (text) =>
  isHttpUrl(text) ? right(text) : wrong("expected an http or https URL");

/** Several URLs, separated by commas. */
export const httpUrlsSchema: TextSchema<string[]> = (text) => {
  const urls = text.split(",").map((url) => url.trim());
  if (urls.every(isHttpUrl)) return right(urls);
  return wrong("expected http or https URLs separated by commas");
};

export const contractSchema: TextSchema<Address> = (text) => {
  const address = parseContractAddress(text);
  return address === undefined ? wrong("expected a contract address (C...)") : right(address);
};

/** `XLM=0.25,USDC:ISSUER=1`: assets in any form that clients may use, and decimals. */
export const priceListSchema: TextSchema<Map<string, string>> = (text) => {
  const prices = new Map<string, string>();
  for (const entry of text.split(",").filter((part) => part.trim() !== "")) {
    const [, asset, price] = /^\s*([^=\s]+)=([0-9]+(?:\.[0-9]+)?)\s*$/.exec(entry) ?? [];
    if (asset === undefined || price === undefined) {
      return wrong("expected ASSET=PRICE, separated by commas");
    }
    if (parseAssetText(asset) === undefined) {
      return wrong(`expected XLM, CODE:ISSUER, CODE-ISSUER or C... before each "=", not ${asset}`);
    }
    prices.set(asset, price);
  }
  return right(prices);
};

function right<Value>(value: Value): Parsed<Value> {
  return { ok: true, value };
}

function wrong(message: string): Parsed<never> {
  return { ok: false, message };
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol } = new URL(text);
  return protocol === "http:" || protocol === "https:";
}
