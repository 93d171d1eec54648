import "server-only";
import type { Session } from "../../db/session.ts";
import { type MaskedRange, redactJson, redactText, type Restored, restoreMasked } from "./redact.ts";
import { readRedactPaths } from "./redact-paths.ts";

export interface MaskedPayload {
  /** Undefined: it is not JSON, so nobody can tell what is in it, and nothing of it is shown. */
  readonly text: string | undefined;
  readonly masked: readonly MaskedRange[];
}

/** A payload as it may be shown to anyone who sees the task: the one way out of the archive for it. */
export async function maskPayload(session: Session, eventType: string, payload: string): Promise<MaskedPayload> {
  const redacted = redactJson(payload, await readRedactPaths(session, eventType));
  return { text: redacted?.text, masked: redacted?.masked ?? [] };
}

/** The payload that an edit of a masked one means: masks that were left in place keep the stored values. */
export async function unmaskEdit(
  session: Session,
  params: { readonly eventType: string; readonly stored: string; readonly edited: string },
): Promise<Restored> {
  return restoreMasked(params.stored, params.edited, await readRedactPaths(session, params.eventType));
}

/** A text that is no payload: an error, a reason. */
export function maskText(text: string): string {
  return redactText(text);
}
