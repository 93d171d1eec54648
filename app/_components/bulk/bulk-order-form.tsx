"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useFormatter, useLocale, useTranslations } from "next-intl";
import { type ReactNode, type SubmitEvent, useId, useState } from "react";
import type { BulkView, OrderFilter } from "../../_server/bulk-view.ts";
import type { DryRun } from "../../_server/dry-run-bulk.ts";
import { ApiError, postJson } from "../api-client.ts";
import { formatDuration } from "../format-time.ts";

const ONE_PERSON_MAX = 10_000;

/** A key of this order: pressed twice, or sent again after a lost answer, it is the same action. */
function newRequestKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How the action goes on, and the press that orders it; what it asks for grows with the number of tasks. */
export function BulkOrderForm(props: {
  action: "reset" | "cancel";
  filter: OrderFilter;
  dryRun: DryRun;
  onOrdered: (bulk: BulkView) => void;
  recount: () => void;
}) {
  const { action, filter, dryRun } = props;
  const { count, size } = dryRun;
  const t = useTranslations("bulkPanel");
  const problemText = useTranslations("problem");
  const format = useFormatter();
  const locale = useLocale();
  const queryClient = useQueryClient();
  const [requestKey] = useState(newRequestKey);
  const [name, setName] = useState("");
  const [reason, setReason] = useState("");
  const [pace, setPace] = useState("50");
  const [jitter, setJitter] = useState("0");
  const [hasCanary, setHasCanary] = useState(false);
  const [canaryRows, setCanaryRows] = useState("20");
  const [canaryShare, setCanaryShare] = useState("90");
  const [typed, setTyped] = useState("");
  const [isAsking, setAsking] = useState(false);
  const [isOrdering, setOrdering] = useState(false);
  const [problem, setProblem] = useState<string>();

  const mustType = size === "type_number" || size === "second_person";
  const isTyped = !mustType || typed.replace(/[\s,.’']/g, "") === String(count);
  const rate = Number(pace);
  const seconds = pace !== "" && rate > 0 ? count / rate : undefined;

  const order = async () => {
    setOrdering(true);
    setProblem(undefined);
    try {
      const bulk = await postJson<BulkView>("/api/v1/bulk", {
        action,
        filter,
        name,
        reason,
        ratePerSecond: pace === "" ? null : rate,
        jitterSeconds: action === "reset" ? Number(jitter || "0") : 0,
        canary:
          hasCanary && action === "reset" ? { rows: Number(canaryRows), share: Number(canaryShare) / 100 } : undefined,
        confirmCount: mustType ? count : undefined,
        seenAt: dryRun.asOf,
        requestKey,
      });
      props.onOrdered(bulk);
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "/api/v1/bulk/dry-run" });
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      setProblem(problemText(`${code}`));
      setAsking(false);
      if (code === "bulk_confirm" || code === "bulk_nothing") props.recount();
    } finally {
      setOrdering(false);
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isOrdering || !isTyped) return;
    if (size === "dialog" && !isAsking) setAsking(true);
    else void order();
  };
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line pt-3">
      <Field label={t("name")} hint={t("nameHint")}>
        {(ids) => (
          <input
            {...ids}
            required
            maxLength={128}
            value={name}
            onChange={({ target }) => setName(target.value)}
            className="input"
          />
        )}
      </Field>
      <Field label={t("reason")} hint={t("reasonHint")}>
        {(ids) => (
          <textarea
            {...ids}
            required
            rows={2}
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            className="input resize-y"
          />
        )}
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label={t("pace")}
          hint={
            seconds === undefined
              ? t("paceHint")
              : t("takes", { time: formatDuration(Math.max(1, seconds) * 1_000, locale) })
          }
        >
          {(ids) => (
            <input
              {...ids}
              type="number"
              min="0.1"
              max="100000"
              step="any"
              value={pace}
              onChange={({ target }) => setPace(target.value)}
              className="input"
            />
          )}
        </Field>
        {action === "reset" && (
          <Field label={t("jitter")} hint={t("jitterHint")}>
            {(ids) => (
              <input
                {...ids}
                type="number"
                min="0"
                max="86400"
                value={jitter}
                onChange={({ target }) => setJitter(target.value)}
                className="input"
              />
            )}
          </Field>
        )}
      </div>
      {action === "reset" && (
        <fieldset className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <legend className="sr-only">{t("canary")}</legend>
          <label className="inline-flex min-h-6 items-center gap-2">
            <input type="checkbox" checked={hasCanary} onChange={({ target }) => setHasCanary(target.checked)} />
            {t("canary")}
          </label>
          {hasCanary && (
            <>
              <input
                type="number"
                min="1"
                max="1000"
                required
                aria-label={t("canaryRows")}
                value={canaryRows}
                onChange={({ target }) => setCanaryRows(target.value)}
                className="input w-20"
              />
              <span>{t("canaryRows")}</span>
              <input
                type="number"
                min="1"
                max="100"
                required
                aria-label={t("canaryShare")}
                value={canaryShare}
                onChange={({ target }) => setCanaryShare(target.value)}
                className="input w-20"
              />
              <span>{t("canaryShare")}</span>
            </>
          )}
        </fieldset>
      )}
      {mustType && (
        <Field label={t("typeNumber", { count: format.number(count) })}>
          {(ids) => (
            <input
              {...ids}
              required
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              className="input max-w-48"
            />
          )}
        </Field>
      )}
      {dryRun.needsApproval && (
        <p className="rounded-md bg-warn-tint px-3 py-2 text-warn">
          {t("approvalNeeded", { count: format.number(ONE_PERSON_MAX) })}
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" className="rounded-md bg-failed-tint px-3 py-2 text-failed">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {isAsking && (
          <>
            <span role="status" className="me-auto font-medium">
              {t("confirmTitle")}
            </span>
            <button type="button" className="button min-h-8" onClick={() => setAsking(false)}>
              {t("confirmBack")}
            </button>
          </>
        )}
        <button type="submit" className="button button-primary min-h-8" disabled={!isTyped || isOrdering}>
          {isOrdering ? t("starting") : dryRun.needsApproval ? t("askApproval") : t(`start_${action}`, { count })}
        </button>
      </div>
    </form>
  );
}

function Field(props: {
  label: string;
  hint?: string;
  children: (ids: { readonly id: string; readonly "aria-describedby": string | undefined }) => ReactNode;
}) {
  const id = useId();
  const hintId = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-ink-2">
        {props.label}
      </label>
      {props.children({ id, "aria-describedby": props.hint === undefined ? undefined : hintId })}
      {props.hint !== undefined && (
        <p id={hintId} className="text-xs text-ink-3">
          {props.hint}
        </p>
      )}
    </div>
  );
}
