import { useTranslations } from "next-intl";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import { Badge, type BadgeLook } from "./badge.tsx";

/** How each status looks: a silhouette of its own, a word, a colour. `gone` is a task that the table no longer holds. */
const LOOK = {
  pending: { icon: "clock", colours: "text-pending bg-pending-tint" },
  running: { icon: "play", colours: "text-running bg-running-tint" },
  succeeded: { icon: "check", colours: "text-succeeded bg-succeeded-tint" },
  failed: { icon: "octagon", colours: "text-failed bg-failed-tint" },
  cancelled: { icon: "slash", colours: "text-pending bg-pending-tint" },
  gone: { icon: "unplug", colours: "text-recycled bg-recycled-tint" },
} as const satisfies Record<TaskStatus | "gone", BadgeLook>;

export type ShownStatus = keyof typeof LOOK;

export function StatusBadge({ status }: { status: ShownStatus }) {
  const t = useTranslations("status");
  return <Badge look={LOOK[status]}>{t(`${status}`)}</Badge>;
}
