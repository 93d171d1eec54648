"use client";

import { type Row, useTable } from "@tanstack/react-table";
import { useTranslations } from "next-intl";
import { memo, type MouseEvent, type RefObject, useMemo, useRef } from "react";
import type { TaskPage } from "../../_server/list-tasks.ts";
import { useMay } from "../account/asker.tsx";
import { describeZone } from "../format-time.ts";
import { Icon } from "../icons.tsx";
import { visibleText } from "../visible-text.ts";
import { useZone } from "../zone.tsx";
import { COLUMNS, type Column } from "./columns.ts";
import type { Density } from "./density.ts";
import type { ListViewControl } from "./list-view.ts";
import { RowMenu } from "./list-menus.tsx";
import type { Selection } from "./selection.ts";
import { columns, features } from "./task-columns.tsx";
import { isResettable, type ShownTask } from "./task-look.ts";
import { AgoTime, TaskTime } from "./task-time.tsx";

type TaskRow = Row<typeof features, ShownTask>;

/** What a row can ask of the list. */
export interface RowActions {
  readonly select: (id: string, isRange: boolean) => void;
  readonly change: ListViewControl["change"];
  readonly askReset: (task: ShownTask) => void;
  /** Opens a task beside the list. */
  readonly show: (id: string) => void;
}

/** The rows of a page as a table; on a narrow screen each becomes a card. */
export function TaskTable(props: {
  /** In which the rows scroll below their headings. */
  frame: RefObject<HTMLDivElement | null>;
  tasks: readonly ShownTask[];
  page: TaskPage;
  now: number;
  shown: readonly Column[];
  density: Density;
  selection: Selection;
  selectPage: () => void;
  resetting: ReadonlySet<string>;
  /** The task that is open beside the list. */
  open: string | undefined;
  actions: RowActions;
  choose: (sort: string) => void;
}) {
  const { tasks, shown, selection, actions } = props;
  const t = useTranslations("tasks");
  const columnVisibility = useMemo(
    () => Object.fromEntries(COLUMNS.map((column) => [column, shown.includes(column)])),
    [shown],
  );
  const table = useTable({
    features,
    columns,
    data: tasks as ShownTask[],
    getRowId: (task) => task.id,
    state: { columnVisibility },
  });
  const selectedHere = tasks.filter(({ id }) => selection.ids.has(id)).length;
  return (
    <div ref={props.frame} className="table-frame">
      <table className="data-table task-list max-md:card-rows" data-density={props.density}>
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col" data-cell="select">
              <PageCheckbox
                isAll={selectedHere > 0 && selectedHere === tasks.length}
                isSome={selectedHere > 0}
                toggle={props.selectPage}
              />
            </th>
            {table
              .getHeaderGroups()
              .flatMap((group) => group.headers)
              .map((header) => (
                <HeaderCell key={header.id} column={header.column.id} page={props.page} choose={props.choose} />
              ))}
            <th scope="col" data-cell="action">
              <span className="sr-only">{t("actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <TaskTableRow
              key={row.id}
              row={row}
              task={row.original}
              shown={shown}
              now={props.now}
              isSelected={selection.ids.has(row.id)}
              isResetting={props.resetting.has(row.id)}
              isOpen={row.id === props.open}
              actions={actions}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const ORDER_OF: Partial<Record<string, "created" | "due" | "bizKey">> = {
  created: "created",
  time: "due",
  bizKey: "bizKey",
};

function HeaderCell({ column, page, choose }: { column: string; page: TaskPage; choose: (sort: string) => void }) {
  const columnNames = useTranslations("taskColumn");
  const why = useTranslations("taskOrder");
  const { timeZone = "UTC" } = useZone();
  const by = ORDER_OF[column];
  const isSorted = by !== undefined && page.order.by === by;
  const isOffered = by !== undefined && page.orders.includes(by);
  const zone = column === "created" ? ` · ${describeZone(timeZone, new Date(page.asOf))}` : "";
  const name = `${columnNames(`${column as Column}`)}${zone}`;
  const ariaSort = isSorted ? (page.order.direction === "asc" ? "ascending" : "descending") : undefined;
  const other = isSorted && page.order.direction === "asc" ? "desc" : "asc";
  return (
    <th scope="col" data-cell={column} aria-sort={ariaSort} title={isOffered ? undefined : why("why")}>
      {isOffered ? (
        <button
          type="button"
          className="inline-flex items-center gap-1 hover:text-ink"
          onClick={() => choose(`${by}.${other}`)}
        >
          {name}
          <span aria-hidden="true" className={isSorted ? "text-ink" : "text-ink-3"}>
            {isSorted ? (page.order.direction === "asc" ? "↑" : "↓") : "↕"}
          </span>
        </button>
      ) : (
        name
      )}
    </th>
  );
}

function PageCheckbox({ isAll, isSome, toggle }: { isAll: boolean; isSome: boolean; toggle: () => void }) {
  const t = useTranslations("tasks");
  return (
    <input
      type="checkbox"
      aria-label={t("selectPage")}
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = isSome && !isAll;
      }}
      onChange={toggle}
      className="size-4 accent-accent"
    />
  );
}

const TaskTableRow = memo(function TaskTableRow(props: {
  row: TaskRow;
  task: ShownTask;
  /** Which cells there are: a row must be drawn anew when they change. */
  shown: readonly Column[];
  now: number;
  isSelected: boolean;
  isResetting: boolean;
  isOpen: boolean;
  actions: RowActions;
}) {
  const { row, task, actions } = props;
  const t = useTranslations("tasks");
  const mayAct = useMay("tasks.act");
  const isRange = useRef(false);
  return (
    <tr
      data-task={task.id}
      aria-selected={props.isSelected}
      aria-current={props.isOpen || undefined}
      // Before the link itself, which would go to the task's page.
      onClickCapture={(event) => {
        if (!isPlainPress(event) || !(event.target instanceof Element)) return;
        if (event.target.closest("[data-row-link]") === null || !window.matchMedia("(width >= 768px)").matches) return;
        event.preventDefault();
        actions.show(task.id);
      }}
      className={`${task.hasLeft || props.isResetting ? "is-dimmed" : ""} ${props.isSelected ? "is-selected" : ""}`}
    >
      <td data-cell="select">
        <input
          type="checkbox"
          aria-label={t("selectTask", { bizKey: visibleText(task.bizKey) })}
          checked={props.isSelected}
          onClick={(event) => (isRange.current = event.shiftKey)}
          onChange={() => {
            actions.select(task.id, isRange.current);
            isRange.current = false;
          }}
          className="size-4 accent-accent"
        />
      </td>
      {row.getVisibleCells().map((cell) => (
        <td key={cell.id} data-cell={cell.column.id}>
          <Cell cell={cell} now={props.now} />
        </td>
      ))}
      <td data-cell="action">
        <span className="flex items-center justify-end gap-1">
          {props.isResetting ? (
            <span className="flex items-center gap-1 text-xs text-ink-2">
              <Icon name="redrive" className="size-3 animate-spin" />
              {t("resetting")}
            </span>
          ) : (
            mayAct &&
            isResettable(task) && (
              <button
                type="button"
                data-row-reset={task.id}
                className="button"
                aria-label={t("resetTask", { id: task.id, bizKey: visibleText(task.bizKey) })}
                onClick={() => actions.askReset(task)}
              >
                {t("reset")}
              </button>
            )
          )}
          <RowMenu task={task} change={actions.change} askReset={actions.askReset} />
        </span>
      </td>
    </tr>
  );
});

/** Not one that asks the browser for another tab or window. */
function isPlainPress(event: MouseEvent<HTMLElement>): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

function Cell({ cell, now }: { cell: ReturnType<TaskRow["getVisibleCells"]>[number]; now: number }) {
  const task = cell.row.original;
  if (cell.column.id === "time") return <TaskTime task={task} now={now} />;
  if (cell.column.id === "updated") return <AgoTime at={task.updatedAt} now={now} />;
  const { cell: render } = cell.column.columnDef;
  return typeof render === "function" ? render(cell.getContext()) : null;
}
