"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useFormatter, useLocale, useTranslations } from "next-intl";
import { type ReactNode, type SubmitEvent, useId, useState } from "react";
import type { BulkView } from "../../_server/bulk-view.ts";
import type { DryRun } from "../../_server/dry-run-bulk.ts";
import { ApiError } from "../api-client.ts";
import { formatDuration } from "../format-time.ts";

const ONE_PERSON_MAX = 10_000;

/** A key of this order: pressed twice, or sent again after a lost answer, it is the same action. */
function newRequestKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Problems that say that the tasks are not those that were counted. */
const COUNT_AGAIN = ["bulk_confirm", "bulk_nothing", "task_succeeded", "replay_too_many"];

/** What a person has chosen for an order, as the API takes it. */
export interface OrderChoices {
  readonly name: string;
  readonly reason: string;
  readonly ratePerSecond: number | null;
  readonly jitterSeconds: number;
  readonly canary: { readonly rows: number; readonly share: number } | undefined;
  readonly confirmCount: number | undefined;
  readonly requestKey: string;
}

/**
 * How the action goes on, and the press that orders it; what it asks for grows with the number of tasks. Tasks that
 * succeeded need a second yes, and the number typed however few they are.
 */
export function BulkOrderForm(props: {
  action: "reset" | "cancel" | "replay";
  dryRun: Pick<DryRun, "count" | "size" | "needsApproval">;
  /** So many of them succeeded, and will run again all the same. */
  succeeded?: number;
  send: (choices: OrderChoices) => Promise<BulkView>;
  onOrdered: (bulk: BulkView) => void;
  recount: () => void;
}) {
  const { action, dryRun, succeeded = 0 } = props;
  const { count, size } = dryRun;
  const hasNextRun = action !== "cancel";
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
  const [isSucceededMeant, setSucceededMeant] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [isOrdering, setOrdering] = useState(false);
  const [problem, setProblem] = useState<string>();

  const mustType = size === "type_number" || size === "second_person" || succeeded > 0;
  const isTyped = !mustType || typed.replace(/[\s,.’']/g, "") === String(count);
  const rate = Number(pace);
  const seconds = pace !== "" && rate > 0 ? count / rate : undefined;

  const order = async () => {
    setOrdering(true);
    setProblem(undefined);
    try {
      const bulk = await props.send({
        name,
        reason,
        ratePerSecond: pace === "" ? null : rate,
        jitterSeconds: hasNextRun ? Number(jitter || "0") : 0,
        canary: hasCanary && hasNextRun ? { rows: Number(canaryRows), share: Number(canaryShare) / 100 } : undefined,
        confirmCount: mustType ? count : undefined,
        requestKey,
      });
      props.onOrdered(bulk);
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => !String(queryKey[0]).endsWith("/dry-run") });
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      setProblem(problemText(`${code}`));
      setAsking(false);
      if (COUNT_AGAIN.includes(code)) props.recount();
    } finally {
      setOrdering(false);
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isOrdering || !isTyped) return;
    if (size === "dialog" && !mustType && !isAsking) setAsking(true);
    else void order();
  };
  return (
    <form onSubmit={submit} className="grid grid-cols-1 gap-3 border-t border-line pt-3">
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
        {hasNextRun && (
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
      {hasNextRun && (
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
      {succeeded > 0 && (
        <div className="grid gap-2 rounded-md bg-failed-tint px-3 py-2 text-failed">
          <p className="font-medium">{t("succeeded", { count: succeeded })}</p>
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              required
              checked={isSucceededMeant}
              onChange={({ target }) => setSucceededMeant(target.checked)}
              className="size-4"
            />
            {t("confirmSucceeded")}
          </label>
        </div>
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
        <button
          type="submit"
          className={`button min-h-8 ${succeeded > 0 ? "button-danger" : "button-primary"}`}
          disabled={!isTyped || isOrdering || (succeeded > 0 && !isSucceededMeant)}
        >
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
