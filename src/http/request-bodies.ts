// No request here has a body. One that announces any, or does so in a way that another reader of HTTP may
// read otherwise, is answered and its connection closed: what follows is never read as a request
// (RFC 9112, 6.3 and 11.2). Main thread.
import { ApiError } from "./api-error.ts";
import { errorAnswer, UNKNOWN_PATH, writeLastAnswer } from "./response.ts";
import type { HttpRequest, HttpResponse } from "./uws.ts";

/**
 * The binding closes a connection once it has read on through all bytes that came along with the request.
 * Requests among those bytes are handed over before, and are recognized by what comes next: their
 * handler, with no connection closed between.
 */
export class RequestBodies {
  #closing: { readonly address: string } | undefined;

  /** Whether the request is dealt with here. To be asked first of every request. */
  refuses(res: HttpResponse, req: HttpRequest): boolean {
    if (this.#closing !== undefined && this.#closing.address === addressOf(res)) {
      // A third one is denied by the binding, since this one has no answer yet.
      this.#closing = undefined;
      closeLater(res);
      return true;
    }
    if (!announcesBody(req)) return false;
    const method = req.getMethod();
    const isServed = method === "get" || method === "head" || method === "options";
    const closing = { address: addressOf(res) };
    this.#closing = closing;
    // A connection whose client does not read stays until it does: later requests are others'.
    setImmediate(() => {
      if (this.#closing === closing) this.#closing = undefined;
    });
    writeLastAnswer(res, isServed ? BODY_REFUSED : UNKNOWN_PATH, method === "head");
    return true;
  }

  /** To be called when a connection is gone. */
  closed(): void {
    this.#closing = undefined;
  }
}

/**
 * By any line but a single `Content-Length: 0`. Every line is looked at: of several the binding's
 * `getHeader` tells the first alone, and an empty one not at all.
 */
function announcesBody(req: HttpRequest): boolean {
  let lengths = 0;
  let announces = false;
  req.forEach((name, value) => {
    if (name === "content-length") {
      lengths += 1;
      announces ||= value !== "0" || lengths > 1;
    } else announces ||= name === "transfer-encoding";
  });
  return announces;
}

/** Not now: the answer before it, which the binding has not sent yet, would be lost. */
function closeLater(res: HttpResponse): void {
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
  });
  setImmediate(() => {
    if (!isGone) res.close();
  });
}

function addressOf(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString("latin1");
}

const BODY_REFUSED = errorAnswer(
  new ApiError(400, "request_body", "Bad request. Requests with a body are not supported."),
  false,
);
