const STORED_AS = "redrive_recent";
const KEPT_MAX = 5;

const PLACES = { tasks: "task", archive: "archived", bulk: "bulk" } as const;

/** A page of one object that was opened in this tab. Its id alone is kept, and only as long as the tab lives. */
export interface Place {
  readonly kind: (typeof PLACES)[keyof typeof PLACES];
  readonly id: string;
  readonly path: string;
}

/** The object that a path shows; undefined if it shows a list. */
export function placeOf(path: string): Place | undefined {
  const [, folder, id] = /^\/(tasks|archive|bulk)\/(\d{1,20})$/.exec(path) ?? [];
  if (folder === undefined || id === undefined) return undefined;
  return { kind: PLACES[folder as keyof typeof PLACES], id, path };
}

/** The paths opened last, the newest first, with one more. */
export function withPath(paths: readonly string[], path: string): readonly string[] {
  if (placeOf(path) === undefined) return paths;
  return [path, ...paths.filter((one) => one !== path)].slice(0, KEPT_MAX);
}

export function rememberPath(path: string): void {
  const before = storedPaths();
  const after = withPath(before, path);
  if (after === before) return;
  try {
    sessionStorage.setItem(STORED_AS, after.join(" "));
  } catch {
    // A browser that keeps nothing has no recent pages.
  }
}

export function recentPlaces(): readonly Place[] {
  return storedPaths().flatMap((path) => placeOf(path) ?? []);
}

function storedPaths(): readonly string[] {
  try {
    return (sessionStorage.getItem(STORED_AS) ?? "").split(" ").filter(Boolean);
  } catch {
    return [];
  }
}
