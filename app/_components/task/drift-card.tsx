"use client";

import { useTranslations } from "next-intl";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { useStrategyName } from "../use-strategy-name.ts";
import { visibleText } from "../visible-text.ts";
import { TaskSection } from "./task-section.tsx";

/** Where the settings that the task carries differ from those its type has now. Nothing if they do not. */
export function DriftCard({ answer: { drift } }: { answer: TaskAnswer }) {
  const t = useTranslations("task");
  const strategyName = useStrategyName();
  if (drift.length === 0) return null;
  const shown = (name: string, value: string | number) =>
    name === "strategy" ? strategyName(String(value)) : visibleText(String(value));
  return (
    <TaskSection title={t("drift")}>
      <p className="px-4 pt-2 text-xs text-ink-2">{t("driftHint")}</p>
      <table className="data-table">
        <caption className="sr-only">{t("driftHint")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("driftSetting")}</th>
            <th scope="col">{t("driftStored")}</th>
            <th scope="col">{t("driftCurrent")}</th>
          </tr>
        </thead>
        <tbody>
          {drift.map(({ name, stored, current }) => (
            <tr key={name}>
              <th scope="row">{t(`drift${name}`)}</th>
              <td>{shown(name, stored)}</td>
              <td className="font-medium text-warn">{shown(name, current)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TaskSection>
  );
}
