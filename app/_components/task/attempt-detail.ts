/** What the engine writes beside an entry of a task's history, taken apart so that each language can say it. */
export type AttemptDetail =
  | { readonly code: "recycled" | "abandoned"; readonly worker: string; readonly count: number; readonly max: number }
  | { readonly code: "replayed_as" | "replayed_of"; readonly id: string; readonly reason: string | undefined }
  | {
      readonly code: "refused";
      readonly tried: string;
      readonly status: string;
      readonly claim: string | undefined;
      readonly holder: string | undefined;
      readonly lateMs: number;
    }
  | { readonly code: "by_handler" }
  | { readonly code: "bulk"; readonly id: string; readonly reason: string }
  /** Nothing that the engine is known to write: a person's reason, or another version's words. */
  | { readonly code: "text"; readonly text: string };

const RECYCLED = /^recycled by (.+); abandonment (\d{1,9}) of (\d{1,9})(, failed for good)?$/s;
const REPLAYED = /^(as|of) task (\d{1,20})(?:: (.*))?$/s;
const REFUSED =
  /^tried (\w+), refused: the task is (\w+)(?: under claim (\d{1,20})(?: of (.+))?)? since (\d{1,15}) ms$/s;
const BULK = /^bulk (\d{1,20}): (.*)$/s;

export function attemptDetail(kind: string, text: string): AttemptDetail {
  return known(kind, text) ?? { code: "text", text };
}

/** Each kind of entry has its own words; a person's reason that reads like those of another is a reason still. */
function known(kind: string, text: string): AttemptDetail | undefined {
  switch (kind) {
    case "recycled": {
      const [whole, worker = "", count, max, isLast] = RECYCLED.exec(text) ?? [];
      if (whole === undefined) return undefined;
      return { code: isLast ? "abandoned" : "recycled", worker, count: Number(count), max: Number(max) };
    }
    case "replayed": {
      const [whole, side, id = "", reason] = REPLAYED.exec(text) ?? [];
      return whole === undefined ? undefined : { code: side === "as" ? "replayed_as" : "replayed_of", id, reason };
    }
    case "stale": {
      const [whole, tried = "", status = "", claim, holder, lateMs] = REFUSED.exec(text) ?? [];
      return whole === undefined
        ? undefined
        : { code: "refused", tried, status, claim, holder, lateMs: Number(lateMs) };
    }
    case "cancelled":
      return text === "by its handler" ? { code: "by_handler" } : bulk(text);
    case "reset":
      return bulk(text);
    default:
      return undefined;
  }
}

function bulk(text: string): AttemptDetail | undefined {
  const [whole, id = "", reason = ""] = BULK.exec(text) ?? [];
  return whole === undefined ? undefined : { code: "bulk", id, reason };
}
