"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useCallback, useId, useMemo, useRef, useState } from "react";
import type { OrderFilter } from "../../_server/bulk-view.ts";
import type { TaskCounts } from "../../_server/count-task-states.ts";
import type { TaskPage } from "../../_server/list-tasks.ts";
import { useMay } from "../account/asker.tsx";
import { BASE_PATH } from "../base-path.ts";
import { formatClock } from "../format-time.ts";
import { LiveCard } from "../live-card.tsx";
import { ResetDialog } from "../reset-dialog.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { useZone } from "../zone.tsx";
import { columnsOf } from "./columns.ts";
import { useDensity } from "./density.ts";
import { FilterChips } from "./filter-chips.tsx";
import { ColumnsMenu, FilterMenu, SavedViews } from "./list-menus.tsx";
import {
  countedView,
  filterQuery,
  jsonFilter,
  type ListViewControl,
  pagePath,
  savedQuery,
  useListView,
} from "./list-view.ts";
import { OrderChoice } from "./order-choice.tsx";
import { SearchBox } from "./search-box.tsx";
import { NOTHING_SELECTED, toggle, togglePage, without } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { StateTabs } from "./state-tabs.tsx";
import { TaskListEmpty } from "./task-list-empty.tsx";
import { isResettable, type ShownTask, shownTasks } from "./task-look.ts";
import { TaskPager } from "./task-pager.tsx";
import { TaskTable } from "./task-table.tsx";
import { useFirstRowInView } from "./use-first-row-in-view.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useListReset } from "./use-list-reset.ts";
import { useNewer, useProgress, useTaskPage } from "./use-task-page.ts";
import "./tasks.css";

// Loaded when first asked for.
const BulkPanel = dynamic(() => import("../bulk/bulk-panel.tsx").then((part) => part.BulkPanel), { ssr: false });
// Loaded when a task is first opened beside the list.
const TaskDrawer = dynamic(() => import("./task-drawer.tsx").then((part) => part.TaskDrawer), { ssr: false });

/** All tasks, by state and filter: found, followed while they change, selected and acted on. */
export function TaskList() {
  const t = useTranslations("tasks");
  const titleId = useId();
  const control = useListView();
  const { view } = control;
  const query = useTaskPage(view);
  const counts = useTaskCounts(control);
  return (
    <div className="min-w-0">
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<RowsSkeleton />}
        header={
          <header>
            <h1 id={titleId} className="sr-only">
              {t("title")}
            </h1>
            <StateTabs
              current={view.state}
              counts={counts}
              choose={(state) => control.change({ state: state === "all" ? null : state, sort: null })}
            />
            <Toolbar control={control} page={query.data} isOfView={!query.isPlaceholderData} />
          </header>
        }
      >
        {(page) => (
          <Rows
            key={filterQuery(view).toString()}
            control={control}
            page={page}
            isOfView={!query.isPlaceholderData}
            isLooking={query.isFetching && !query.isPlaceholderData && !page.exhausted}
            counts={counts}
            isSaidStale={query.error !== null}
          />
        )}
      </LiveCard>
    </div>
  );
}

/**
 * The counts of all states, without the state that is shown: the same answer for every tab. Of a search within payloads
 * there are none, and those of the filter beside it would be taken for them.
 */
function useTaskCounts({ view }: ListViewControl): TaskCounts | undefined {
  const words = filterQuery(countedView({ state: "all", filter: view.filter })).toString();
  const { data } = useLiveQuery<TaskCounts>(`/api/v1/tasks/counts${words && `?${words}`}`);
  return view.filter.payload === undefined ? data : undefined;
}

function Toolbar(props: {
  control: ListViewControl;
  page: TaskPage | undefined;
  /** False: the page is still that of the view before. */
  isOfView: boolean;
}) {
  const { control, page } = props;
  const t = useTranslations("tasks");
  const { view, change } = control;
  const [density, chooseDensity] = useDensity();
  const query = useQueryClient();
  const newer = useNewer(view, props.isOfView ? page : undefined);
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-2">
      <SearchBox search={change} />
      <FilterMenu filter={view.filter} apply={change} />
      <SavedViews query={savedQuery(view)} open={control.open} />
      <FilterChips filter={view.filter} remove={(word) => change({ [word]: null })} clear={control.clear} />
      <span className="ms-auto flex flex-wrap items-center gap-2 max-sm:contents">
        <span role="status">
          {newer !== undefined && newer.count > 0 && (
            <button
              type="button"
              className="button min-h-8 rounded-full! border-accent! text-accent"
              onClick={() => void query.invalidateQueries({ queryKey: [pagePath(view)] })}
            >
              {t("newer", { count: newer.count, more: newer.atLeast ? "+" : "" })}
            </button>
          )}
        </span>
        {page && <OrderChoice page={page} state={view.state} choose={(sort) => change({ sort })} />}
        <ColumnsMenu
          columns={columnsOf(view.columns)}
          choose={control.chooseColumns}
          density={density}
          chooseDensity={chooseDensity}
          limit={view.limit}
          chooseLimit={(limit) => change({ limit })}
        />
        {view.filter.payload === undefined && (
          <a className="button min-h-8" download href={csvPath(control)}>
            <Download aria-hidden="true" className="size-3.5" />
            {t("csv")}
          </a>
        )}
      </span>
    </div>
  );
}

function csvPath({ view }: ListViewControl): string {
  const words = filterQuery(view);
  if (view.sort) words.set("sort", view.sort);
  const query = words.toString();
  return `${BASE_PATH}/api/v1/tasks.csv${query && `?${query}`}`;
}

/** The rows of one filter: the selection and the questions on them end with it. */
function Rows(props: {
  control: ListViewControl;
  page: TaskPage;
  /** False: the page is still that of the view before. */
  isOfView: boolean;
  /** More of the page is on its way. */
  isLooking: boolean;
  counts: TaskCounts | undefined;
  /** The page itself could not be read anew, and that is said. */
  isSaidStale: boolean;
}) {
  const { control, page, isLooking } = props;
  const { view, change } = control;
  const { resetting, reset } = useListReset();
  const [density] = useDensity();
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const [asked, setAsked] = useState<ShownTask>();
  const [ordering, order] = useState<OrderFilter>();
  const followed = useMemo(
    () => page.items.filter(({ status }) => status !== "succeeded" && status !== "cancelled").map(({ id }) => id),
    [page.items],
  );
  const progress = useProgress(followed);
  const now = Math.max(Date.parse(page.asOf), progress.data ? Date.parse(progress.data.asOf) : 0);
  // A page that was read anew since knows more than what was asked of its rows before.
  const newer = progress.data && Date.parse(progress.data.asOf) >= Date.parse(page.asOf) ? progress.data : undefined;
  const tasks = useMemo(() => shownTasks(page.items, newer, view.state, now), [page.items, newer, view.state, now]);
  const rowIds = useMemo(() => page.items.map(({ id }) => id), [page.items]);
  const gone = new Set(tasks.filter(({ isGone }) => isGone).map(({ id }) => id));
  const selected = without(selection, gone);
  const select = useCallback(
    (id: string, isRange: boolean) => setSelection((before) => toggle(before, id, rowIds, isRange)),
    [rowIds],
  );
  const { show } = control;
  const actions = useMemo(() => ({ select, change, show, askReset: setAsked }), [select, change, show]);
  const openAt = view.task === undefined ? -1 : rowIds.indexOf(view.task);
  const clear = () => setSelection(NOTHING_SELECTED);
  const mayAct = useMay("tasks.act");
  useListKeys({
    select,
    clearSelection: clear,
    reset: mayAct ? (id) => setAsked(tasks.find((task) => task.id === id && isResettable(task))) : undefined,
    isOpen: view.task !== undefined,
    step: (by) => {
      const neighbour = rowIds[openAt + by];
      if (neighbour !== undefined) show(neighbour);
    },
    close: () => show(null),
  });
  const shown = useMemo(() => columnsOf(view.columns), [view.columns]);
  const matching = props.counts?.counts[view.state];
  const frame = useRef<HTMLDivElement>(null);
  useFirstRowInView(frame, props.isOfView ? pagePath(view) : undefined);
  return (
    <>
      {progress.error && !props.isSaidStale && (
        <StaleNotice at={Math.max(progress.dataUpdatedAt, Date.parse(page.asOf))} />
      )}
      {tasks.length === 0 && !props.isOfView ? (
        // That nothing was found in the view before says nothing of this one.
        <div aria-hidden="true">
          <RowsSkeleton />
        </div>
      ) : tasks.length === 0 ? (
        <TaskListEmpty view={view} page={page} isLooking={isLooking} control={control} />
      ) : (
        <TaskTable
          frame={frame}
          tasks={tasks}
          page={page}
          now={now}
          shown={shown}
          density={density}
          selection={selected}
          selectPage={() => setSelection((before) => togglePage(before, rowIds))}
          resetting={resetting}
          open={view.task}
          actions={actions}
          choose={(sort) => change({ sort })}
        />
      )}
      <TaskPager
        page={page}
        isOfView={props.isOfView}
        isLooking={isLooking}
        view={view}
        goTo={control.goTo}
        jump={control.jump}
      />
      {selected.ids.size > 0 && (
        <SelectionBar
          scope={{ ids: [...selected.ids], filter: jsonFilter(view), matching: matching ?? undefined, clear, order }}
          only={tasks.find(({ id }) => selected.ids.has(id))}
          askReset={setAsked}
        />
      )}
      {/* Not within the bar: that goes with the selection, which ends with the order. */}
      {ordering && <BulkPanel action="reset" filter={ordering} close={() => order(undefined)} onOrdered={clear} />}
      {view.task !== undefined && (
        <TaskDrawer
          id={view.task}
          previous={openAt > 0 ? rowIds[openAt - 1] : undefined}
          next={rowIds[openAt + 1]}
          show={show}
        />
      )}
      {asked && (
        <ResetDialog
          task={{ ...asked, failedAt: asked.finishedAt ?? asked.updatedAt }}
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

function StaleNotice({ at }: { at: number }) {
  const live = useTranslations("live");
  const { timeZone = "UTC" } = useZone();
  return (
    <p role="status" className="border-y border-line bg-warn-tint px-4 py-1.5 text-xs text-warn">
      {live("stale", { time: formatClock(new Date(at), timeZone) })}
    </p>
  );
}

function RowsSkeleton() {
  return ["w-40", "w-32", "w-48", "w-36", "w-44", "w-40", "w-32", "w-48"].map((width, at) => (
    <div key={at} className="flex h-8 items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className="skeleton size-4" />
      <span className="skeleton h-4 w-20" />
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 flex-1" />
      <span className="skeleton h-3.5 w-20" />
    </div>
  ));
}
