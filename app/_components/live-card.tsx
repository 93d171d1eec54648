"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { ApiError } from "./api-client.ts";
import { formatClock } from "./format-time.ts";
import { StateMessage } from "./state-message.tsx";
import { useTooOld } from "./use-too-old.ts";
import { useZone } from "./zone.tsx";

const DIMMED_AFTER_MS = 30_000;

/**
 * The frame of whatever is kept fresh: a skeleton before the first answer, the problem in place of the rows if none ever
 * came, and the last answer with its age if a refresh failed. A refresh that goes well changes nothing but the data.
 */
export function LiveCard<Answer>(props: {
  labelledBy: string;
  header: ReactNode;
  query: UseQueryResult<Answer, ApiError>;
  skeleton: ReactNode;
  children: (answer: Answer) => ReactNode;
}) {
  const { query } = props;
  const { data, error, isFetching, dataUpdatedAt } = query;
  const t = useTranslations("live");
  const { timeZone = "UTC" } = useZone();
  const isStale = error !== null && data !== undefined;
  const isDimmed = useTooOld(isStale, dataUpdatedAt + DIMMED_AFTER_MS);
  return (
    <section aria-labelledby={props.labelledBy} aria-busy={isFetching} className="card min-w-0">
      {isFetching && data !== undefined && <ProgressLine />}
      {props.header}
      {isStale && (
        <p role="status" className="border-y border-line bg-warn-tint px-4 py-1.5 text-xs text-warn">
          {t("stale", { time: formatClock(new Date(dataUpdatedAt), timeZone) })}
        </p>
      )}
      {data !== undefined ? (
        <div className={isDimmed ? "opacity-60" : ""}>{props.children(data)}</div>
      ) : error ? (
        <ProblemMessage error={error} retry={() => void query.refetch()} />
      ) : (
        <div role="status">
          <span className="sr-only">{t("loading")}</span>
          <div aria-hidden="true">{props.skeleton}</div>
        </div>
      )}
    </section>
  );
}

const ROLES = ["viewer", "operator", "auditor", "admin"] as const;

/**
 * Why nothing can be shown, with the number under which the console's log holds the whole error; of what a person may not
 * see: who may.
 */
export function ProblemMessage({ error, retry }: { error: ApiError; retry: () => void }) {
  const t = useTranslations("live");
  const problem = useTranslations("problem");
  const role = useTranslations("role");
  const format = useFormatter();
  if (error.code === "forbidden" || error.code === "out_of_scope") {
    const roles = ROLES.filter((one) => Array.isArray(error.details["roles"]) && error.details["roles"].includes(one));
    const names = format.list(
      roles.map((one) => role(`${one}`)),
      { type: "disjunction" },
    );
    return (
      <StateMessage
        role="alert"
        tone="neutral"
        icon="lock"
        title={problem(`${error.code}`)}
        hint={roles.length > 0 && t("rolesNeeded", { roles: names })}
      />
    );
  }
  const details = [error.code, error.requestId && t("requestId", { id: error.requestId })].filter(Boolean).join(" · ");
  return (
    <StateMessage
      role="alert"
      tone={error.code === "database_timeout" ? "slow" : "problem"}
      title={problem(`${error.code}`)}
      hint={<span className="font-mono text-xs text-ink-3">{details}</span>}
    >
      <button type="button" className="button" onClick={retry}>
        {t("retry")}
      </button>
    </StateMessage>
  );
}

/** Shown only if a refresh takes longer than a moment, so that a quick one does not flicker. */
function ProgressLine() {
  return (
    <div aria-hidden="true" className="absolute inset-x-0 top-0 h-0.5 overflow-hidden rounded-t-lg">
      <div className="h-full w-1/3 -translate-x-full animate-[progress_1.2s_linear_600ms_infinite] bg-accent" />
    </div>
  );
}
