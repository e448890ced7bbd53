// What clients send on the push connection, read as far as every channel shares it.

/** Any JSON value; absent where the client sent none. */
export type MessageId = { readonly id?: unknown };

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
  const id = "id" in parameters ? { id: parameters.id } : {};
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
  // Not String(): a JSON object may hold a `toString` of its own, and then it throws.
  return typeof value === "string" ? value : String(JSON.stringify(value));
}
