"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { FailedTaskItem, FailedTaskPage } from "../_server/list-failed-tasks.ts";
import { describeZone } from "./format-time.ts";
import { FailedTaskRow } from "./failed-task-row.tsx";
import { keepRows } from "./keep-rows.ts";
import { ResetDialog } from "./reset-dialog.tsx";
import { FAILED_LIST_ID } from "./task-list-address.ts";
import type { TaskReset } from "./use-task-reset.ts";
import { useZone } from "./zone.tsx";

export function FailedTaskTable(props: { page: FailedTaskPage; taskReset: TaskReset; empty: ReactNode }) {
  const { page, empty } = props;
  const { resetting, refused, reset, dismiss } = props.taskReset;
  const t = useTranslations("failed");
  const { timeZone = "UTC" } = useZone();
  const [asked, setAsked] = useState<FailedTaskItem>();
  const [rows, setRows] = useState<readonly FailedTaskItem[]>(page.items);
  const [merged, setMerged] = useState({ items: page.items, refused });
  // What was merged is kept beside its result: the next merge starts from the rows that the person sees.
  if (merged.items !== page.items || merged.refused !== refused) {
    setMerged({ items: page.items, refused });
    setRows(keepRows(rows, page.items, refused));
  }
  useFocusAfterRemoval(rows);
  return (
    <>
      {rows.length === 0 ? (
        empty
      ) : (
        <div className="overflow-x-auto">
          <table className="data-table task-table max-[1080px]:card-rows">
            <caption className="sr-only">{t("caption")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("state")}</th>
                <th scope="col">{t("eventType")}</th>
                <th scope="col">
                  {t("bizKey")} · {t("id")}
                </th>
                <th scope="col">{t("attempts")}</th>
                <th scope="col">{t("error")}</th>
                <th scope="col">{t("failedAt", { zone: describeZone(timeZone, new Date(page.asOf)) })}</th>
                <th scope="col">
                  <span className="sr-only">{t("actions")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((task) => (
                <FailedTaskRow
                  key={task.id}
                  task={task}
                  asOf={page.asOf}
                  isResetting={resetting.has(task.id)}
                  seenStatus={refused.get(task.id)}
                  ask={setAsked}
                  dismiss={dismiss}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {asked && (
        <ResetDialog
          task={asked}
          close={() => setAsked(undefined)}
          confirm={(reason) => {
            setAsked(undefined);
            void reset(asked.id, reason);
          }}
        />
      )}
    </>
  );
}

/** When the row that held the focus leaves, the focus goes to the row now at its place, or to the list. */
function useFocusAfterRemoval(rows: readonly FailedTaskItem[]): void {
  const focused = useRef<number | undefined>(undefined);
  useEffect(() => {
    const position = focused.current;
    if (position !== undefined && document.activeElement === document.body) {
      const buttons = document.querySelectorAll<HTMLElement>(`#${FAILED_LIST_ID} [data-row-action]`);
      (buttons[Math.min(position, buttons.length - 1)] ?? document.getElementById(FAILED_LIST_ID))?.focus();
    }
    const remember = ({ target }: FocusEvent) => {
      const list = [...document.querySelectorAll(`#${FAILED_LIST_ID} [data-row-action]`)];
      const index = target instanceof Element ? list.indexOf(target) : -1;
      focused.current = index === -1 ? undefined : index;
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, [rows]);
}
