import "server-only";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError, type ProblemCode } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { log } from "./log.ts";
import { RateLimit } from "./rate-limit.ts";

const DENIALS: ReadonlySet<ProblemCode> = new Set(["forbidden", "out_of_scope", "read_only"]);

/** More of one actor tell nothing new, and must not fill the table. */
const limit = new RateLimit({ count: 60, withinMs: 60_000 });

/**
 * Writes down that somebody known tried to change what that account may not, in a transaction of its own, for that of
 * the change is rolled back. Never fails: the asker gets the denial in any case.
 */
export async function auditDenied(asker: Asker, request: Request, error: unknown): Promise<void> {
  if (!(error instanceof ConsoleError) || !DENIALS.has(error.code)) return;
  if (!limit.admits(`${asker.actorKind} ${asker.actor}`)) return;
  const { eventType, permission } = error.details;
  try {
    await consoleDatabase().retryingTransaction((session) =>
      insertAudit(session, {
        ...auditedBy(asker),
        action: "request.denied",
        objectKind: "route",
        objectId: `${request.method} ${new URL(request.url).pathname}`,
        eventType: typeof eventType === "string" ? eventType : undefined,
        result: "denied",
        detail: { code: error.code, ...(permission === undefined ? {} : { permission }) },
      }),
    );
  } catch (failure) {
    log.error({ requestId: asker.requestId, err: failure }, "a denied attempt could not be written to the audit log");
  }
}
