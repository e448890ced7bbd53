import { type DepthBody, DepthReading, type DepthRequest } from "../../src/book/depth.ts";
import { DepthWalk } from "../../src/book/depth-walk.ts";
import type { BookView } from "../../src/book/shared-layout.ts";

/** Within one turn. `walk`: scratch memory that readings share. `now`: UNIX seconds. */
export function readDepth(
  view: BookView,
  request: DepthRequest,
  now: number,
  walk = new DepthWalk(),
): DepthBody {
  const body = new DepthReading(walk, view, request, now).run(Number.POSITIVE_INFINITY);
  if (body === undefined) throw new TypeError("a walk without limit has paused");
  return body;
}
