"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { SessionItem, SessionList } from "../../_server/account-sessions.ts";
import { getJson, sendJson } from "../api-client.ts";
import { Modal } from "../modal.tsx";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";
import { FormProblem } from "./form-problem.tsx";
import { useProblemText } from "./use-problem-text.ts";

/** The browsers that an account is signed in with; each can be signed out. `path` is where the API keeps them. */
export function SessionsDialog({ title, path, close }: { title: string; path: string; close: () => void }) {
  const t = useTranslations("sessions");
  const problemText = useProblemText();
  const queryClient = useQueryClient();
  const { data, error } = useQuery<SessionList>({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<SessionList>(path, signal),
    retry: false,
  });
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);

  const end = async (target: string) => {
    setSending(true);
    setProblem(undefined);
    try {
      await sendJson("DELETE", target);
    } catch (failure) {
      setProblem(problemText(failure));
    }
    await queryClient.invalidateQueries();
    setSending(false);
  };

  const others = data?.items.filter(({ isOwn }) => !isOwn) ?? [];
  return (
    <Modal title={title} close={close} place="wide">
      <FormProblem text={problem ?? (error ? problemText(error) : undefined)} />
      {data && data.items.length === 0 && <p className="text-ink-2">{t("none")}</p>}
      {data && data.items.length > 0 && (
        <table className="data-table session-table max-sm:card-rows">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t("browser")}</th>
              <th scope="col">{t("lastUsed")}</th>
              <th scope="col">
                <span className="sr-only">{t("actions")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((item) => (
              <SessionRow
                key={item.id}
                item={item}
                asOf={data.asOf}
                isSending={isSending}
                end={() => void end(`${path}/${item.id}`)}
              />
            ))}
          </tbody>
        </table>
      )}
      <p className="text-xs text-ink-3">{t("rule")}</p>
      <div className="flex flex-wrap justify-end gap-2">
        {others.length > 1 && (
          <button type="button" className="button min-h-8" disabled={isSending} onClick={() => void end(path)}>
            {t("endAll", { count: others.length })}
          </button>
        )}
        <button type="button" className="button min-h-8" onClick={close}>
          {t("close")}
        </button>
      </div>
    </Modal>
  );
}

function SessionRow(props: { item: SessionItem; asOf: string; isSending: boolean; end: () => void }) {
  const { item, asOf } = props;
  const t = useTranslations("sessions");
  const browser = item.userAgent === undefined ? t("unknownBrowser") : visibleText(shortBrowser(item.userAgent));
  return (
    <tr>
      <th scope="row" data-cell="name" className="text-ink!" title={visibleText(item.userAgent ?? "")}>
        {browser}
        <span className="ms-2 text-xs font-normal text-ink-3">{visibleText(item.ip ?? t("unknownAddress"))}</span>
      </th>
      <td data-cell="time">
        <TimeText at={item.usedAt} asOf={asOf} />
      </td>
      <td data-cell="action" className="text-end">
        {item.isOwn ? (
          <span className="text-ink-2">{t("thisOne")}</span>
        ) : (
          <button
            type="button"
            className="button"
            aria-label={t("endOne", { browser, ip: item.ip ?? t("unknownAddress") })}
            disabled={props.isSending}
            onClick={props.end}
          >
            {t("end")}
          </button>
        )}
      </td>
    </tr>
  );
}

/** The name that people know a browser by, and its system; anything else is shown as it is, cut. */
function shortBrowser(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|HeadlessChrome|Chrome|Version)\/(\d+)/.exec(userAgent);
  const system = /Windows|Macintosh|Android|iPhone|iPad|Linux/.exec(userAgent)?.[0];
  if (!browser) return userAgent.slice(0, 60);
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", Version: "Safari", HeadlessChrome: "Chrome" };
  const name = names[browser[1] ?? ""] ?? browser[1] ?? "";
  return `${name} ${browser[2] ?? ""}${system ? ` · ${system === "Macintosh" ? "macOS" : system}` : ""}`;
}
