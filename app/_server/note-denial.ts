import "server-only";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { isChange } from "./identify.ts";
import { log } from "./log.ts";
import type { Permission } from "./permissions.ts";

const DENIALS: ReadonlySet<string> = new Set(["forbidden", "out_of_scope"]);

/** Keeps in the audit that somebody who is signed in tried to change what is not theirs to change. Never throws. */
export async function noteDenial(
  error: unknown,
  attempt: { readonly request: Request; readonly asker: Asker; readonly permission: Permission },
): Promise<void> {
  const { request, asker, permission } = attempt;
  if (!(error instanceof ConsoleError) || !DENIALS.has(error.code) || !isChange(request)) return;
  const { pathname } = new URL(request.url);
  try {
    await consoleDatabase().use((session) =>
      insertAudit(session, {
        ...auditedBy(asker),
        action: "request.denied",
        objectKind: "route",
        objectId: `${request.method} ${pathname}`,
        result: "denied",
        detail: { code: error.code, permission },
      }),
    );
  } catch (cause) {
    log.error({ requestId: asker.requestId, pathname, err: cause }, "a denied request could not be kept in the audit");
  }
}
