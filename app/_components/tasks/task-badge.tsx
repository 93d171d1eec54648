import { useTranslations } from "next-intl";
import { Badge, type BadgeLook } from "../badge.tsx";
import type { TaskLook } from "./task-look.ts";

const LOOK = {
  pending: { icon: "clock", colours: "text-pending bg-pending-tint" },
  retrying: { icon: "redrive", colours: "text-retrying bg-retrying-tint" },
  running: { icon: "play", colours: "text-running bg-running-tint" },
  stuck: {
    icon: "unplug",
    colours: "text-recycled bg-recycled-tint outline outline-1 outline-dashed -outline-offset-1",
  },
  failed: { icon: "octagon", colours: "text-failed bg-failed-tint" },
  succeeded: { icon: "check", colours: "text-succeeded bg-succeeded-tint" },
  cancelled: { icon: "slash", colours: "text-pending bg-pending-tint" },
  gone: { icon: "unplug", colours: "text-pending bg-pending-tint" },
} as const satisfies Record<TaskLook, BadgeLook>;

/** A state as icon, word and colour; each has a silhouette of its own. */
export function TaskBadge({ look }: { look: TaskLook }) {
  const t = useTranslations("taskLook");
  return <Badge look={LOOK[look]}>{t(`${look}`)}</Badge>;
}
