"use client";

import { useTranslations } from "next-intl";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { useActionNames } from "../audit/use-action-names.ts";
import { LiteralText } from "../literal-text.tsx";
import { TaskSection } from "./task-section.tsx";
import { useTimeTexts } from "./use-time-texts.ts";

/** What people did with the task, from the audit log: refused attempts and reveals too. */
export function OperatorActions({ answer: { actions } }: { answer: TaskAnswer }) {
  const t = useTranslations("task");
  const texts = useTimeTexts();
  const { nameOf } = useActionNames();
  return (
    <TaskSection title={t("actions")}>
      {actions.length === 0 ? (
        <p className="px-4 py-3 text-ink-2">{t("actionsNone")}</p>
      ) : (
        <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={t("actions")}>
          <table className="data-table">
            <caption className="sr-only">{t("actionsCaption")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("actionTime")}</th>
                <th scope="col">{t("actionWho")}</th>
                <th scope="col">{t("actionWhat")}</th>
                <th scope="col">{t("actionResult")}</th>
                <th scope="col">{t("actionWhy")}</th>
              </tr>
            </thead>
            <tbody>
              {actions.map((entry) => (
                <tr key={entry.id}>
                  <td className="text-ink-2">{texts.instant(entry.at)}</td>
                  <td className="max-w-40">
                    <LiteralText text={entry.actor} />
                  </td>
                  <td>{nameOf(entry.action)}</td>
                  <td className={entry.result === "ok" ? "text-ink-2" : "font-medium text-warn"}>
                    {t(`result${entry.result}`)}
                  </td>
                  <td className="w-full max-w-60">
                    {entry.reason !== undefined && <LiteralText text={entry.reason} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </TaskSection>
  );
}
