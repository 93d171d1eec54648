import "server-only";
import type { Session } from "../../db/session.ts";

/** Where a masked value stands in the masked text, quotes included. */
type MaskedRange = readonly [start: number, end: number];

export interface MaskedPayload {
  /** Undefined: it is not JSON, so nobody can tell what is in it, and nothing of it is shown. */
  readonly text: string | undefined;
  readonly masked: readonly MaskedRange[];
}

/** A payload as it may be shown to anyone who sees the task: the one way out for it. */
export async function maskPayload(_session: Session, _eventType: string, payload: string): Promise<MaskedPayload> {
  return { text: isJson(payload) ? payload : undefined, masked: [] };
}

export type EditedPayload =
  | { readonly outcome: "done"; readonly text: string }
  | { readonly outcome: "not_json" }
  | { readonly outcome: "mask_moved" };

/** The payload that an edit of a masked one means: masks that were left in place keep the stored values. */
export async function unmaskEdit(
  _session: Session,
  params: { readonly eventType: string; readonly stored: string; readonly edited: string },
): Promise<EditedPayload> {
  return isJson(params.edited) ? { outcome: "done", text: params.edited } : { outcome: "not_json" };
}

/** A text that is no payload: an error, a reason. */
export function maskText(text: string): string {
  return text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
