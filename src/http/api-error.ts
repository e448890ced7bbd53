// The one error of the API: a client's mistake, or an answer that is not available now. Anything else thrown is
// a logged 500.

export type ApiErrorCode =
  | "invalid_parameter"
  | "invalid_order_id"
  | "invalid_window"
  | "not_found"
  | "not_ready"
  | "routing_failed"
  | "request_body"
  | "uri_too_long"
  | "upgrade_expected"
  | "invalid_upgrade"
  | "too_many_connections"
  | "too_many_requests_waiting"
  | "book_changes_too_fast"
  | "too_many_quote_topics"
  | "too_many_accounts_waiting"
  | "too_many_depths_waiting"
  | "rate_limited"
  | "internal_error";

/**
 * `message` is shown to the client as it is. Without a stack, which nobody reads and which costs more than
 * most answers.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;

  constructor(status: number, code: ApiErrorCode, message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

/** `name` is the API's own name of a parameter, never text of the client. */
export function invalidParameter(name: string, detail: string): ApiError {
  return new ApiError(
    400,
    "invalid_parameter",
    `Bad request. Invalid parameter: "${name}". ${detail}`,
  );
}
