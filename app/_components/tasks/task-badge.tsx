import { useTranslations } from "next-intl";
import { Icon, type IconName } from "../icons.tsx";
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
} as const satisfies Record<TaskLook, { icon: IconName; colours: string }>;

/** A state as icon, word and colour; each has a silhouette of its own. */
export function TaskBadge({ look }: { look: TaskLook }) {
  const t = useTranslations("taskLook");
  const { icon, colours } = LOOK[look];
  return (
    <span className={`inline-flex items-center gap-1.5 rounded-[5px] px-1.5 py-px text-xs font-medium ${colours}`}>
      <Icon name={icon} className="size-3" />
      {t(`${look}`)}
    </span>
  );
}
