import type { NewAudit } from "../../db/queries/insert-audit.ts";
import type { Asker } from "./asker.ts";

/** The part of an audit entry that tells who asked. */
export function auditedBy({
  actor,
  actorKind,
  role,
  ip,
  requestId,
}: Asker): Pick<NewAudit, "actor" | "actorKind" | "role" | "ip" | "requestId"> {
  return { actor, actorKind, role, ip, requestId };
}
