/** Tasks that can be selected at once. */
export const SELECTED_MAX = 250;

/** Which tasks are selected, and the one that a range begins at. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly anchor: string | undefined;
}

export const NOTHING_SELECTED: Selection = { ids: new Set(), anchor: undefined };

/** One task is taken in or out; with `isRange` all between the last one and this become as this. */
export function toggle(selection: Selection, id: string, rows: readonly string[], isRange: boolean): Selection {
  const isIn = !selection.ids.has(id);
  const from = selection.anchor === undefined ? -1 : rows.indexOf(selection.anchor);
  const to = rows.indexOf(id);
  const range = isRange && from !== -1 && to !== -1 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  return { ids: withAll(selection.ids, range, isIn), anchor: id };
}

/** All rows of the page are taken in, or out if they all are in. */
export function togglePage(selection: Selection, rows: readonly string[]): Selection {
  const isIn = !rows.every((id) => selection.ids.has(id));
  return { ids: withAll(selection.ids, rows, isIn), anchor: undefined };
}

/** Without the tasks that are no longer there; the same object if none is missing. */
export function without(selection: Selection, gone: ReadonlySet<string>): Selection {
  if (![...selection.ids].some((id) => gone.has(id))) return selection;
  return { ...selection, ids: new Set([...selection.ids].filter((id) => !gone.has(id))) };
}

function withAll(ids: ReadonlySet<string>, changed: readonly string[], isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  for (const id of changed) {
    if (!isIn) next.delete(id);
    else if (next.size < SELECTED_MAX) next.add(id);
  }
  return next;
}
