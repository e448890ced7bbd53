// Texts that the OpenAPI and the AsyncAPI document begin with.
import { CONTRACT_ERRORS } from "../model/contract-errors.ts";
import { SUBSCRIPTIONS_MAX } from "./parameter-table.ts";

export const API_VERSION = "0.1.0";

export const LICENSE = { name: "MIT", identifier: "MIT" } as const;

export const CONVENTIONS = [
  "Integers that may not fit a JSON number are strings. Amounts are integer base units of the token " +
    "(7 decimals: one token is 10000000), order prices are contract prices: the maker's buying per " +
    "selling base unit, times 10^18. Depth, candles and tickers are decimal strings in token units, " +
    "with prices in quote per base.",
  "Every asset in an answer is a token contract address. Requests for quotes and market data also take " +
    "`XLM`, `CODE:ISSUER` and `CODE-ISSUER`; filters of lists take token contract addresses only.",
  "Market keys are `base/quote` in canonical order: the base is the first of the pair when the XDR " +
    "bytes of the two addresses are compared. Depth and candles answer in the orientation asked for.",
  "There is no authentication, and nothing is signed or submitted here: clients call the contract themselves.",
] as const;

export const REST_CONVENTIONS = [
  "Every endpoint is a GET request and answers JSON; HEAD answers the same without a body, OPTIONS with " +
    "204. CORS is open. An unknown path answers 404 with the plain text `API endpoint was not found`.",
  "Lists take `limit` and an exclusive `cursor`: pass the `cursor` of the last row to get the next page.",
  "A failed request has the body `{error, status}` with the HTTP status. Answers may gain members. " +
    "Every endpoint can also answer 414 (path and query beyond 3,200 bytes), 429 and 503 (a limit of the " +
    "listener, named in the message; `Retry-After` tells when to ask again), 431 (request line and " +
    "headers beyond 8 KiB, not JSON) and 500.",
] as const;

export const PUSH_CONVENTIONS = [
  "One WebSocket connection carries many subscriptions; messages are JSON text frames in both " +
    "directions. A subscribe is answered by a snapshot, which replaces what the client holds of the " +
    "topic; updates follow. Route messages by `topic`, which the server makes from normalised parameters.",
  `A connection holds at most ${SUBSCRIPTIONS_MAX.topics} topics, ${SUBSCRIPTIONS_MAX.accounts} of them accounts. ` +
    "Subscribing again to a held topic sends a fresh " +
    "snapshot. Unsubscribe takes the parameters of the subscribe, in any spelling.",
  "What one ledger changed comes as several messages, and the `ledger` message of channel `contract` after " +
    "them: once it names a ledger, every `order`, `backing`, `trade`, `swap` and `contract` message of that " +
    "ledger and of all before it was sent on the connection, and none of a later one. `depth`, `candle` and " +
    "`ticker` updates that are due at a ledger come before its message too, as far as the engine is not " +
    "overloaded; what their interval holds back, and `quote`, comes later and `depth` and `quote` name their ledger. " +
    "So a client that acts on whole ledgers subscribes to `contract` and acts at each `ledger` message.",
  "Subscriptions belong to the connection: after a reconnect subscribe again; missed updates are not " +
    "sent later. The server pings every 30 seconds and ends a connection that sent neither a pong nor a message since the last one.",
  "Messages are answered in order, as fast as the engine has time for: a connection that sends far more than " +
    "that is closed with code 1008 and the reason `Too many messages are waiting`, and so is one whose client " +
    "address does (`Too many messages of your address are waiting`). " +
    "Code 1011: an update could not be made; connect and subscribe again. " +
    "A message of more than 16 KiB closes the connection with code 1009, binary frames are refused. A client " +
    "with more than 4 MiB waiting for it is disconnected.",
] as const;

/** As failures report them. */
export const CONTRACT_ERROR_TABLE = table(
  ["Code", "Error of the exchange"],
  Object.fromEntries(
    Object.entries(CONTRACT_ERRORS).map(([code, { name, meaning }]) => [
      code,
      meaning === undefined ? name : `${name}: ${meaning}`,
    ]),
  ),
);

/** What clients of the push connection are told, by cause. */
const PUSH_ERRORS: Readonly<Record<string, string>> = {
  "malformed JSON": "`Invalid JSON`, without id",
  "binary frame": "`Binary messages are not supported`, without id",
  "JSON value that is neither object nor array": "`Invalid message`",
  "unknown or missing op": "`Unknown op: <op>`",
  "unknown channel": "`Unknown channel: <channel>`",
  "invalid account address": "`Invalid account address`",
  "other invalid parameter": "the text of the REST error",
  "too many topics": `\`Too many subscriptions (max ${SUBSCRIPTIONS_MAX.topics})\``,
  "too many snapshots awaited on a connection": `\`Too many snapshots are waiting (max ${SUBSCRIPTIONS_MAX.snapshots})\``,
  "too many accounts": `\`Too many account subscriptions (max ${SUBSCRIPTIONS_MAX.accounts})\``,
  "too many quotes of all clients": "`Too many quote subscriptions (max <n> of all clients)`",
  "quotes while not ready or overloaded": "`Trading error. <message>`",
  "a large book while too many are read": "`Service overloaded. <message>`",
  "a limit of messages, where one is configured": "`Too many messages. <message>`",
  "unsubscribe while the snapshot is awaited, to the subscribe":
    "`Unsubscribed before the snapshot`",
  "unexpected error": "`Internal error`",
};

export const PUSH_ERROR_TABLE = table(["Cause", "Error"], PUSH_ERRORS);

/** In Markdown. */
function table(head: readonly [string, string], rows: Readonly<Record<string, string>>): string {
  return [head, ["---", "---"], ...Object.entries(rows)]
    .map(([first, second]) => `| ${first} | ${second} |`)
    .join("\n");
}
