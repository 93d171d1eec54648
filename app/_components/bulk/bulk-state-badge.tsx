import { useTranslations } from "next-intl";
import type { BulkView } from "../../_server/bulk-view.ts";
import { Badge, type BadgeLook } from "../badge.tsx";

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
} as const satisfies Record<BulkView["state"], BadgeLook>;

export function BulkStateBadge({ bulk }: { bulk: Pick<BulkView, "state" | "done" | "skipped"> }) {
  const t = useTranslations("bulk");
  const isUndone = bulk.state === "aborted" && bulk.done + bulk.skipped === 0;
  return <Badge look={LOOK[bulk.state]}>{isUndone ? t("undone") : t(`state_${bulk.state}`)}</Badge>;
}
