// Backing records as JSON text (api.md, Backing record and the backing embedded in orders). The
// text is put together by hand, several times faster than JSON.stringify over an object made for
// it: every value is digits, an address or a word of ours, so nothing needs escaping.
import type { Backing } from "../../model/backing.ts";
import { utcText } from "../../model/clock.ts";

export function backingJson(backing: Backing): string {
  const { owner, asset, balance, allowance, liveUntil, authorized, budget, headroom } = backing;
  return (
    `{"owner":"${owner}","asset":"${asset}","balance":"${balance}","allowance":"${allowance}",` +
    `"liveUntil":${liveUntil},"authorized":${authorized},"budget":"${budget}"` +
    (headroom === undefined ? "" : `,"headroom":"${headroom}"`) +
    (backing.updated === undefined ? "" : `,"updated":"${utcText(backing.updated)}"`) +
    (backing.skipped === undefined ? "" : `,"skipped":"${utcText(backing.skipped)}"`) +
    (backing.pending ? ',"pending":true}' : "}")
  );
}

/** A backing is one object until it changes: its text stays with it (see order-json.ts). */
const KNOWN = Symbol("text");
type KeptBacking = Backing & { [KNOWN]?: { readonly backing: Backing; readonly text: string } };

export function embeddedBackingJson(backing: KeptBacking): string {
  const known = backing[KNOWN];
  if (known?.backing === backing) return known.text;
  const text = embeddedText(backing);
  backing[KNOWN] = { backing, text };
  return text;
}

function embeddedText(backing: Backing): string {
  const { balance, allowance, liveUntil, authorized, updated, pending } = backing;
  return (
    `{"balance":"${balance}","allowance":"${allowance}","liveUntil":${liveUntil},` +
    `"authorized":${authorized}` +
    (updated === undefined ? "" : `,"updated":"${utcText(updated)}"`) +
    (pending ? ',"pending":true}' : "}")
  );
}
