import { parseSearch } from "../tasks/search-text.ts";

const ID_DIGITS_MAX = 19;

/**
 * Where a search leads: an id to its task, any other text to the list of tasks, filtered as its own
 * search would; nothing for no text.
 */
export function searchAddress(text: string): string | undefined {
  const wanted = text.trim();
  if (wanted === "") return undefined;
  const id = /^#?0*([1-9]\d*)$/.exec(wanted)?.[1];
  if (id !== undefined && id.length <= ID_DIGITS_MAX) return `/tasks/${id}`;
  return `/tasks?${new URLSearchParams(parseSearch(wanted)).toString()}`;
}
