// What clients send on the push connection, read as far as every channel shares it.

/**
 * JSON text, as the client wrote it: an echo made of the parsed value would round large numbers, and
 * fails on what is nested deeper than JSON.stringify can follow. Absent where the client sent none.
 */
export type MessageId = { readonly id?: string };

export type ClientMessage =
  | ({ readonly kind: "ping" } & MessageId)
  | ({
      readonly kind: "subscribe" | "unsubscribe";
      readonly channel: unknown;
      /** The whole message: channel parameters stand at its top level. */
      readonly parameters: Readonly<Record<string, unknown>>;
    } & MessageId)
  | ({ readonly kind: "invalid"; readonly error: string } & MessageId);

/** Never throws. */
export function parseClientMessage(text: string): ClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A SyntaxError is the only thing JSON.parse throws.
    return { kind: "invalid", error: "Invalid JSON" };
  }
  if (typeof value !== "object" || value === null) {
    return { kind: "invalid", error: "Invalid message" };
  }
  const parameters = value as Readonly<Record<string, unknown>>;
  const idText = memberText(text, "id");
  const id = idText === undefined ? {} : { id: idText };
  const { op } = parameters;
  switch (op) {
    case "ping":
      return { kind: op, ...id };
    case "subscribe":
    case "unsubscribe":
      return { kind: op, channel: parameters.channel, parameters, ...id };
    default:
      return { kind: "invalid", error: `Unknown op: ${shown(op)}`, ...id };
  }
}

/** A value of the client inside an error text: strings as they are, the rest as JSON. */
export function shown(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    // Not String(): a JSON object may hold a `toString` of its own, and then it throws.
    return String(JSON.stringify(value));
  } catch {
    // A RangeError of what is nested too deep is the only thing it throws of parsed JSON.
    return "a value nested too deep";
  }
}

/** The value of an object's own member, of a JSON text that parses; the last of several. */
function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let key = "";
  /** Where the value of the member at hand begins; negative before its colon. */
  let start = -1;
  const endMember = (end: number): void => {
    if (start >= 0 && key === name) found = json.slice(start, end).trim();
    start = -1;
  };
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charAt(at)) {
      case '"': {
        const end = stringEnd(json, at);
        if (depth === 1 && start < 0) key = JSON.parse(json.slice(at, end + 1));
        at = end;
        break;
      }
      case "{":
      case "[":
        depth += 1;
        break;
      case ":":
        if (depth === 1) start = at + 1;
        break;
      case ",":
        if (depth === 1) endMember(at);
        break;
      case "}":
      case "]":
        if (depth === 1) endMember(at);
        depth -= 1;
        break;
    }
  }
  return found;
}

/** Where the quote stands that ends the string which begins at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
