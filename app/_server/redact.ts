import { decodeString, JsonSyntaxError, scanJson } from "../_json/scan-json.ts";
import { MASK, maskNumber, maskText, secrecyOf } from "./sensitive-text.ts";

/** Where a masked value stands in the masked text, quotes included. */
export type MaskedRange = readonly [start: number, end: number];

export interface RedactedJson {
  readonly text: string;
  readonly masked: readonly MaskedRange[];
}

/** Payloads within payloads (JSON in a string) are looked into so deep; what is deeper is masked whole. */
const NESTED_MAX = 3;

/** A text that is no payload (an error, a reason): what is recognised as personal or secret is masked. */
export function redactText(text: string): string {
  return maskText(text);
}

/**
 * JSON text with secret values masked, everything else byte for byte as it was: numbers of any length, doubled names,
 * layout. Masked are values of names that say so (`password`, `idCard`…), values at `paths` (`$.user.name`, `items[*].no`;
 * `*` is any one step), and what is recognised in any other value or name. Undefined: the text is not JSON, so nobody can
 * tell what is in it; show nothing of it. Cut the result, never the text before: half a document does not parse.
 */
export function redactJson(text: string, paths: readonly string[] = []): RedactedJson | undefined {
  const changes = findMasks(text, paths.map(parsePath), 0);
  return changes && applyChanges(text, changes);
}

interface MaskChange {
  readonly start: number;
  readonly end: number;
  /** The JSON string in its place. */
  readonly mask: string;
  readonly path: string;
}

function findMasks(text: string, paths: readonly (readonly string[])[], depth: number): MaskChange[] | undefined {
  const changes: MaskChange[] = [];
  /** The container that is masked as a whole, while the scan is within it. */
  let whole: { readonly start: number; readonly path: string; nesting: number } | undefined;
  const isListed = (path: readonly string[]) => paths.some((pattern) => matches(pattern, path));
  const add = (start: number, end: number, path: readonly string[], masked: string | undefined) => {
    if (masked === undefined) return;
    changes.push({ start, end, mask: JSON.stringify(masked), path: JSON.stringify(path) });
  };
  try {
    scanJson(text, {
      key(start, end, name, path) {
        if (whole) return;
        const masked = maskText(name);
        if (masked !== name) add(start, end, [...path, name], masked);
      },
      open(_, start, path) {
        if (whole) whole.nesting++;
        else if (isSecret(path, isListed)) whole = { start, path: JSON.stringify(path), nesting: 1 };
      },
      close(end) {
        if (!whole || --whole.nesting > 0) return;
        changes.push({ start: whole.start, end, mask: JSON.stringify(MASK), path: whole.path });
        whole = undefined;
      },
      scalar(kind, start, end, path) {
        if (whole) return;
        const raw = text.slice(start, end);
        if (raw === "null") return;
        if (isListed(path)) return add(start, end, path, MASK);
        const value = kind === "string" ? decodeString(raw) : raw;
        switch (secrecyAt(path)) {
          case "secret":
            return add(start, end, path, MASK);
          case "phone": {
            const masked = maskText(value);
            return add(start, end, path, masked === value ? MASK : masked);
          }
          case undefined:
            if (kind === "number") add(start, end, path, maskNumber(raw));
            else if (kind === "string") add(start, end, path, maskString(value, paths, depth));
        }
      },
    });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
  return changes.sort((one, other) => one.start - other.start);
}

function isSecret(path: readonly string[], isListed: (path: readonly string[]) => boolean): boolean {
  return isListed(path) || secrecyAt(path) !== undefined;
}

/** A value in a list belongs to the name that the list belongs to. */
function secrecyAt(path: readonly string[]): "secret" | "phone" | undefined {
  const name = path.at(-1);
  return name === undefined || /^\d+$/.test(name) ? undefined : secrecyOf(name);
}

/** The masked string, or undefined if there is nothing to mask. */
function maskString(value: string, paths: readonly (readonly string[])[], depth: number): string | undefined {
  if (/^\s*[[{]/.test(value)) {
    const inner = depth < NESTED_MAX ? findMasks(value, paths, depth + 1) : undefined;
    if (inner) return inner.length === 0 ? undefined : applyChanges(value, inner).text;
    if (depth >= NESTED_MAX) return MASK;
  }
  const masked = maskText(value);
  return masked === value ? undefined : masked;
}

function applyChanges(text: string, changes: readonly MaskChange[]): RedactedJson {
  const parts: string[] = [];
  const masked: MaskedRange[] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, mask } of changes) {
    parts.push(text.slice(from, start), mask);
    length += start - from + mask.length;
    masked.push([length - mask.length, length]);
    from = end;
  }
  parts.push(text.slice(from));
  return { text: parts.join(""), masked };
}

function parsePath(path: string): string[] {
  return path
    .replace(/^\$\.?/, "")
    .replace(/\[(\*|\d+)\]/g, ".$1")
    .split(".")
    .filter((step) => step !== "");
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((step, at) => step === "*" || step === path[at]);
}

/** What an edit of a masked payload came to. */
export type Restored =
  | { readonly outcome: "done"; readonly text: string }
  | { readonly outcome: "not_json" }
  /** A mask stands where the stored payload has no such value: nobody knows what was meant. */
  | { readonly outcome: "mask_moved" };

/**
 * Puts the stored values back in place of the masks that an editor left where they were, so that a payload can be edited
 * without being seen whole. `edited` was made from `redactJson(stored, paths)`.
 */
export function restoreMasked(stored: string, edited: string, paths: readonly string[] = []): Restored {
  const hidden = new Map<string, MaskChange[]>();
  const masks = new Set<string>();
  for (const change of findMasks(stored, paths.map(parsePath), 0) ?? []) {
    masks.add(change.mask);
    hidden.set(change.path, [...(hidden.get(change.path) ?? []), change]);
  }
  const changes: MaskChange[] = [];
  let isMoved = false;
  try {
    scanJson(edited, {
      key(start, end) {
        isMoved ||= masks.has(edited.slice(start, end));
      },
      scalar(_, start, end, steps) {
        const path = JSON.stringify(steps);
        const [change] = hidden.get(path) ?? [];
        // The values of a doubled name are met in the order in which they are stored.
        hidden.set(path, (hidden.get(path) ?? []).slice(1));
        const raw = edited.slice(start, end);
        if (!masks.has(raw)) return;
        if (change?.mask === raw) changes.push({ start, end, mask: stored.slice(change.start, change.end), path });
        else isMoved = true;
      },
    });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { outcome: "not_json" };
    throw error;
  }
  return isMoved ? { outcome: "mask_moved" } : { outcome: "done", text: applyChanges(edited, changes).text };
}
