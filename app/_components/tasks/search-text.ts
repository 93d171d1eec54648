import type { FilterWord } from "./list-view.ts";

/** What the text of the search box asks for. */
export type Search = Partial<Record<FilterWord, string>>;

const PART = /(?:(biz|id|type|err|worker|bulk):)?("([^"]*)"|\S+)/gi;
const FINGERPRINT = /^(?:[0-9a-f]{16}|abandoned)$/;
const IDS = /^[0-9]{1,19}(?:[\s,]+[0-9]{1,19})*$/;

/**
 * The filters that a text names: `biz:` (with a star at its end the beginning of biz keys), `id:`, `type:`, `err:` (the
 * fingerprint of a cause, or words of the error), `worker:`, `bulk:` (the number of a bulk action); digits alone are ids, several of them too; anything else
 * is the beginning of biz keys. Quotes hold a value with spaces together.
 */
export function parseSearch(text: string): Search {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  if (IDS.test(trimmed)) return { ids: trimmed.split(/[\s,]+/).join(",") };
  const search: Search = {};
  for (const [, name, whole = "", quoted] of trimmed.matchAll(PART)) {
    const value = quoted ?? whole;
    if (value !== "") Object.assign(search, partOf(name?.toLowerCase(), value, search));
  }
  return search;
}

function partOf(name: string | undefined, value: string, before: Search): Search {
  switch (name) {
    case "biz":
      return value.endsWith("*") ? { bizKeyPrefix: value.slice(0, -1) } : { bizKey: value };
    case "id":
      return { ids: joined(before.ids, value) };
    case "type":
      return { eventType: joined(before.eventType, value.replaceAll("%", "%25")) };
    case "err":
      return FINGERPRINT.test(value) ? { cause: value } : { errorText: value };
    case "worker":
      return { worker: value };
    case "bulk":
      return { bulkId: value };
    default:
      return /^[0-9]{1,19}$/.test(value) ? { ids: joined(before.ids, value) } : { bizKeyPrefix: value };
  }
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before},${value}`;
}
