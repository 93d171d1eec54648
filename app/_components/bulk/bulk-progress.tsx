"use client";

import { useFormatter, useLocale, useTranslations } from "next-intl";
import type { BulkView } from "../../_server/bulk-view.ts";
import { formatDuration } from "../format-time.ts";
import { BulkMeter } from "./bulk-meter.tsx";
import { useSecondsLeft } from "./use-seconds-left.ts";

/** How far an action is, in a bar and in numbers, and in words what it waits for. */
export function BulkProgress({ bulk, asOf }: { bulk: BulkView; asOf: string }) {
  const t = useTranslations("bulk");
  const format = useFormatter();
  const locale = useLocale();
  const { done, skipped, estimate, state, ratePerSecond } = bulk;
  const isReplay = bulk.action === "replay";
  const rest = Math.max(0, estimate - done - skipped);
  const numbers = [
    { key: "done", name: isReplay ? t("replayed") : t("done"), value: done, hint: undefined },
    { key: "skipped", name: t("skipped"), value: skipped, hint: undefined },
    state === "finished"
      ? { key: "vanished", name: t("vanished"), value: rest, hint: isReplay ? t("vanishedReplay") : t("vanishedHint") }
      : { key: "left", name: t("left"), value: rest, hint: undefined },
  ];
  return (
    <section className="grid gap-3">
      <Waiting bulk={bulk} asOf={asOf} />
      <BulkMeter bulk={bulk} className="w-full" />
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {numbers.map(({ key, name, value, hint }) => (
          <div key={key}>
            <dt className="text-xs text-ink-2" title={hint}>
              {name}
            </dt>
            <dd className="text-tile font-semibold">{format.number(value)}</dd>
          </div>
        ))}
        {state === "running" && rest > 0 && ratePerSecond !== null && (
          <div className="self-end pb-1 text-ink-2">
            <dt className="sr-only">{t("pace")}</dt>
            <dd>{t("eta", { time: formatDuration((rest / ratePerSecond) * 1_000, locale) })}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Waiting({ bulk, asOf }: { bulk: BulkView; asOf: string }) {
  const t = useTranslations("bulk");
  const format = useFormatter();
  const seconds = useSecondsLeft(bulk.startsInMs, asOf);
  const { state, canary, stateReason } = bulk;
  const percent = format.number((canary?.share ?? 1) * 100);
  if (bulk.isStalled) return <Note tone="warn">{t("stalled")}</Note>;
  if (state === "awaiting_approval") return <Note tone="warn">{t("approvalHint", { count: bulk.estimate })}</Note>;
  if (state === "scheduled")
    return <Note tone="calm">{seconds > 0 ? t("startsIn", { seconds }) : t("waitsTurn")}</Note>;
  if (state === "canary" && canary && bulk.done >= canary.rows) {
    const values = { count: bulk.done, percent };
    return (
      <Note tone="calm">{bulk.action === "replay" ? t("canaryWaitReplay", values) : t("canaryWait", values)}</Note>
    );
  }
  if (state === "paused" && canary?.verdict === "failed") {
    const [, succeeded, looked] = /^canary: (\d+) of (\d+) succeeded$/.exec(stateReason ?? "") ?? [];
    const reason = succeeded === undefined ? t("canaryTooFew") : t("canaryShort", { succeeded, looked: looked ?? "" });
    return <Note tone="warn">{t("canaryStopped", { reason })}</Note>;
  }
  if (state === "failed") return <Note tone="bad">{t("failedHint", { reason: stateReason ?? "" })}</Note>;
  return null;
}

const TONES = {
  calm: "bg-soft text-ink-2",
  warn: "bg-warn-tint text-warn",
  bad: "bg-failed-tint text-failed",
} as const;

function Note({ tone, children }: { tone: keyof typeof TONES; children: string }) {
  return <p className={`rounded-md px-3 py-2 wrap-anywhere ${TONES[tone]}`}>{children}</p>;
}
