import { useTranslations } from "next-intl";
import type { BulkView } from "../../_server/bulk-view.ts";
import { Icon, type IconName } from "../icons.tsx";

/** How each state of a bulk action looks: a silhouette of its own, a word, a colour for what a person must look at. */
const LOOK = {
  awaiting_approval: { icon: "warning", colours: "text-retrying bg-retrying-tint" },
  scheduled: { icon: "clock", colours: "text-pending bg-pending-tint" },
  canary: { icon: "play", colours: "text-running bg-running-tint" },
  running: { icon: "play", colours: "text-running bg-running-tint" },
  paused: { icon: "pause", colours: "text-retrying bg-retrying-tint" },
  finished: { icon: "check", colours: "text-succeeded bg-succeeded-tint" },
  aborted: { icon: "slash", colours: "text-pending bg-pending-tint" },
  failed: { icon: "octagon", colours: "text-failed bg-failed-tint" },
} as const satisfies Record<BulkView["state"], { icon: IconName; colours: string }>;

export function BulkStateBadge({ bulk }: { bulk: Pick<BulkView, "state" | "done" | "skipped"> }) {
  const t = useTranslations("bulk");
  const { icon, colours } = LOOK[bulk.state];
  const isUndone = bulk.state === "aborted" && bulk.done + bulk.skipped === 0;
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-[5px] px-1.5 py-px text-xs font-medium whitespace-nowrap ${colours}`}
    >
      <Icon name={icon} className="size-3" />
      {isUndone ? t("undone") : t(`state_${bulk.state}`)}
    </span>
  );
}
