"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { ProblemMessage } from "../live-card.tsx";
import { REFRESH_SECONDS, WATCHED_SECONDS } from "../refresh-delay.ts";
import { useLiveQuery } from "../use-live-query.ts";
import { AbsentTask } from "./absent-task.tsx";
import { type Conflict, ConflictPanel } from "./conflict-panel.tsx";
import { DriftCard } from "./drift-card.tsx";
import { ExplanationText } from "./explanation-text.tsx";
import { FactsCard } from "./facts-card.tsx";
import { OperatorActions } from "./operator-actions.tsx";
import { PlanCard } from "./plan-card.tsx";
import { RelatedTasks } from "./related-tasks.tsx";
import { TaskHeader } from "./task-header.tsx";
import { TaskSkeleton } from "./task-skeleton.tsx";
import { Timeline } from "./timeline.tsx";
import { useTaskActions } from "./use-task-actions.ts";
import { useTaskHistory } from "./use-task-history.ts";
import { isAbsent } from "./is-absent.ts";

// Stands below what is read first, and loads its own part of the script.
const PayloadCard = dynamic(() => import("./payload-card.tsx").then((part) => part.PayloadCard), { ssr: false });

/**
 * One live task: what it is, why it is not running, what will happen, what happened, and what can be done; as a page, or
 * in a column beside the list.
 */
export function TaskPage({ id, isBeside = false }: { id: string; isBeside?: boolean }) {
  const [isWatching, setWatching] = useState(true);
  const [conflict, setConflict] = useState<Conflict>();
  const everySeconds = (known: TaskAnswer | undefined) =>
    isWatching && (known?.task.status === "pending" || known?.task.status === "running")
      ? WATCHED_SECONDS
      : REFRESH_SECONDS;
  const query = useLiveQuery<TaskAnswer>(`/api/v1/tasks/${id}`, { everySeconds });
  const { data: answer, error } = query;
  const history = useTaskHistory(id, everySeconds(answer));
  const actions = useTaskActions(id, setConflict);
  if (isAbsent(error)) return <AbsentTask id={id} error={error} conflict={conflict} />;
  if (!answer) {
    if (!error) return <TaskSkeleton />;
    return (
      <section className="card">
        <ProblemMessage error={error} retry={() => void query.refetch()} />
      </section>
    );
  }
  const { task } = answer;
  return (
    <>
      <TaskHeader
        answer={answer}
        actions={actions}
        isBeside={isBeside}
        isWatching={isWatching}
        setWatching={setWatching}
      />
      {conflict && <ConflictPanel conflict={conflict} dismiss={() => setConflict(undefined)} />}
      <ExplanationText answer={answer} />
      <div
        className={`grid grid-cols-1 items-start gap-4 ${isBeside ? "" : "xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"}`}
      >
        <div className="grid min-w-0 grid-cols-1 gap-4">
          <PlanCard answer={answer} entries={history.items} />
          <Timeline answer={answer} history={history} />
          <OperatorActions answer={answer} />
        </div>
        <div className="grid min-w-0 grid-cols-1 gap-4">
          <PayloadCard
            key={`${task.payloadBytes} ${task.claimNo} ${task.status === "failed"}`}
            answer={answer}
            actions={actions}
          />
          <FactsCard answer={answer} />
          <DriftCard answer={answer} />
          <RelatedTasks answer={answer} />
        </div>
      </div>
    </>
  );
}
