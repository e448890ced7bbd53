// Answers to clients that a limit of the listener refuses: they name the limit and its value.
import { ApiError } from "../api-error.ts";
import { type Answer, errorAnswer } from "../response.ts";

export function tooManyConnections(max: number): Answer {
  return overloaded(`Too many connections (max ${max}).`);
}

export function tooManyPushConnections(max: number): Answer {
  return overloaded(`Too many push connections (max ${max}).`);
}

export function tooManyFromAddress(max: number): Answer {
  const message = `Too many requests. Too many connections from one address (max ${max}).`;
  return errorAnswer(new ApiError(429, "too_many_connections", message), false);
}

/** `waitSeconds`: for the header Retry-After. */
export function tooManyRequests(perSecond: number, waitSeconds: number): Answer {
  const message = `Too many requests. ${rateText(perSecond)}`;
  const answer = errorAnswer(new ApiError(429, "rate_limited", message), false);
  return { ...answer, retryAfter: waitSeconds };
}

export function rateText(perSecond: number): string {
  return `At most ${perSecond} a second are answered to one address.`;
}

function overloaded(message: string): Answer {
  const error = new ApiError(503, "too_many_connections", `Service overloaded. ${message}`);
  return errorAnswer(error, false);
}
