import { useTranslations } from "next-intl";
import type { AuditItem } from "../../_server/audit-schema.ts";
import { visibleText } from "../visible-text.ts";

const KINDS = ["person", "token", "command", "system"] as const;
const ROLES = ["viewer", "operator", "admin", "auditor"] as const;

/** Who did it, what kind of actor that is unless a person, and the role at that time. */
export function ActorText({ entry }: { entry: AuditItem }) {
  const t = useTranslations("audit");
  const kind = KINDS.find((known) => known === entry.actorKind);
  const role = ROLES.find((known) => known === entry.role);
  const notes = [kind && kind !== "person" && t(`kind_${kind}`), role && t(`role_${role}`)].filter(Boolean);
  const name = visibleText(entry.actor);
  return (
    <span title={name} className="block truncate">
      <span dir="auto" className="font-medium">
        {name}
      </span>
      {notes.length > 0 && <span className="ms-1.5 text-xs text-ink-3">{notes.join(" · ")}</span>}
    </span>
  );
}
