/** One field that an action changed; an absent side is undefined. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface AuditChanges {
  readonly changes: readonly FieldChange[];
  /** What else the entry tells, by name. */
  readonly facts: readonly (readonly [string, string])[];
}

const FIELDS_MAX = 500;

/** Takes a detail apart: the fields that differ between `before` and `after`, and all that stands beside these two. */
export function changesOf(detail: unknown): AuditChanges {
  if (detail === undefined) return { changes: [], facts: [] };
  if (!isRecord(detail)) return { changes: [], facts: [["", textOf(detail)]] };
  const { before, after, ...rest } = detail;
  const [old, now] = [flatten(before), flatten(after)];
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  const changes = fields
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => change.before !== change.after)
    .slice(0, FIELDS_MAX);
  return { changes, facts: [...flatten(rest)].slice(0, FIELDS_MAX) };
}

/** The leaves of an object by their path; a list is one leaf. */
function flatten(value: unknown, path = ""): Map<string, string> {
  if (value === undefined) return new Map();
  if (!isRecord(value) || Object.keys(value).length === 0 || path.split(".").length > 8) {
    return new Map([[path, textOf(value)]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => [...flatten(inner, path === "" ? name : `${path}.${name}`)]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
