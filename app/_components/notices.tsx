"use client";

import { useTranslations } from "next-intl";
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from "react";
import { Icon } from "./icons.tsx";

interface Notice {
  readonly key: number;
  readonly tone: "done" | "problem";
  readonly text: string;
  /** What can still be done about it, while the message is shown. */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

type Notify = (tone: Notice["tone"], text: string, action?: Notice["action"]) => void;

const SHOWN_MS = 8_000;
const SHOWN_MAX = 4;

const NotifyContext = createContext<Notify>(() => undefined);

export function useNotify(): Notify {
  return use(NotifyContext);
}

/** Short messages on what an action did, read out by screen readers. Good news leaves by itself, a problem stays. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const t = useTranslations("notice");
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const dismiss = useCallback((key: number) => setNotices((shown) => shown.filter((one) => one.key !== key)), []);
  const notify = useCallback<Notify>((tone, text, action) => {
    setNotices((shown) => [...shown, { key: (shown.at(-1)?.key ?? 0) + 1, tone, text, action }].slice(-SHOWN_MAX));
  }, []);
  return (
    <NotifyContext value={notify}>
      {children}
      <section
        aria-label={t("region")}
        className="pointer-events-none fixed inset-x-3 bottom-16 z-20 flex flex-col items-start gap-2 sm:inset-x-5 sm:bottom-5"
      >
        <div role="status" className="contents">
          {notices.map((notice) => (
            <NoticeCard key={notice.key} notice={notice} dismiss={dismiss} dismissLabel={t("dismiss")} />
          ))}
        </div>
      </section>
    </NotifyContext>
  );
}

function NoticeCard(props: { notice: Notice; dismiss: (key: number) => void; dismissLabel: string }) {
  const { notice, dismiss, dismissLabel } = props;
  const isProblem = notice.tone === "problem";
  useEffect(() => {
    if (isProblem) return;
    const timer = setTimeout(() => dismiss(notice.key), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [dismiss, isProblem, notice.key]);
  return (
    <div
      className={`card pointer-events-auto flex max-w-md items-start gap-2 border-s-4 py-2 ps-3 pe-2 shadow-lg ${
        isProblem ? "border-s-failed-fill" : "border-s-succeeded"
      }`}
    >
      <Icon
        name={isProblem ? "warning" : "check"}
        className={`mt-[3px] size-3.5 ${isProblem ? "text-failed" : "text-succeeded"}`}
      />
      <p className="min-w-0 wrap-anywhere">{notice.text}</p>
      {notice.action && (
        <button
          type="button"
          className="button -my-0.5 shrink-0"
          onClick={() => {
            dismiss(notice.key);
            notice.action?.run();
          }}
        >
          {notice.action.label}
        </button>
      )}
      <button
        type="button"
        aria-label={dismissLabel}
        onClick={() => dismiss(notice.key)}
        className="grid size-6 shrink-0 place-items-center rounded text-ink-3 hover:bg-soft hover:text-ink"
      >
        <Icon name="close" className="size-3" />
      </button>
    </div>
  );
}
