// Names and addresses as short texts; names are untrusted, since issuers choose them.

/** What classic assets may have. */
const NAME_CHARACTERS_MAX = 12;
const SEGMENTS = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A name is its issuer's choice. What is not seen, or turns the text around it, is left out, and what
 * is longer than a code may be is cut; a name of another writing keeps its direction to itself.
 */
export function plainName(name: string): string {
  const seen = name.normalize("NFC").replace(/[\p{C}\p{Z}]/gu, "");
  const characters = [...SEGMENTS.segment(seen)].map(({ segment }) => segment);
  const short =
    characters.length > NAME_CHARACTERS_MAX
      ? `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join("")}…`
      : characters.join("");
  if (short === "") return "?";
  return /^[\x20-\x7e…]+$/.test(short) ? short : `\u2068${short}\u2069`;
}

export function shortAddress(address: string): string {
  return address.length <= 12 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;
}
