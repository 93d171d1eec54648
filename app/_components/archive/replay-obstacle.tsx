"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import Link from "next/link";
import type { ReplayCheck } from "../../_server/replay-task.ts";
import type { ApiError } from "../api-client.ts";

/** Whether a live task with the same key stands in the way of a replay, with a link to it and a way to look again. */
export function ReplayObstacle({ check }: { check: UseQueryResult<ReplayCheck, ApiError> }) {
  const t = useTranslations("replay");
  const status = useTranslations("status");
  const problem = useTranslations("problem");
  const { data, error, isFetching } = check;
  const again = (
    <button
      type="button"
      className="button justify-self-start"
      disabled={isFetching}
      onClick={() => void check.refetch()}
    >
      {t("again")}
    </button>
  );
  if (data?.twin) {
    const { id, taskStatus } = data.twin;
    return (
      <div role="alert" className="grid gap-2 rounded-md bg-warn-tint px-3 py-2 text-warn">
        <p>{t("twin", { id, status: taskStatus ? status(`${taskStatus}`) : t("twinUnknown") })}</p>
        <div className="flex flex-wrap items-center gap-3">
          <Link href={`/tasks/${id}`} className="font-medium underline">
            {t("openTwin", { id })}
          </Link>
          {again}
        </div>
      </div>
    );
  }
  if (error && !data) {
    return (
      <div role="alert" className="grid gap-2 rounded-md bg-warn-tint px-3 py-2 text-warn">
        <p>{t("checkFailed", { problem: problem(`${error.code}`) })}</p>
        {again}
      </div>
    );
  }
  return (
    <p role="status" className="text-ink-2">
      {isFetching || !data ? t("checking") : t("clear")}
    </p>
  );
}
