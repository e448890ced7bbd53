// The page's push connection: the client library's, with what a page knows about being looked at.
import { PushClient } from "../../../src/client/push.ts";
import { Changes } from "../changes.ts";

export class Connection extends PushClient {
  readonly changes: Changes;

  constructor(url: URL) {
    const changes = new Changes();
    super(url.href, { changed: () => changes.tell() });
    this.changes = changes;
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retryNow();
    });
  }
}
