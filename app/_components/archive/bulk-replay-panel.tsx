"use client";

import { useFormatter, useTranslations } from "next-intl";
import { useState } from "react";
import type { BulkView } from "../../_server/bulk-view.ts";
import type { ReplayDryRun } from "../../_server/dry-run-replay.ts";
import { postJson } from "../api-client.ts";
import { BulkDialog } from "../bulk/bulk-dialog.tsx";
import { BulkOrderForm } from "../bulk/bulk-order-form.tsx";
import { BulkOrdered } from "../bulk/bulk-ordered.tsx";
import { ScopeHead } from "../bulk/bulk-scope-head.tsx";
import { useScopeWords } from "../bulk/bulk-scope-words.tsx";
import { useDryRun } from "../bulk/use-dry-run.ts";
import { ProblemMessage } from "../live-card.tsx";
import { replayFilter, type ReplayTargets, targetWords } from "./archive-targets.ts";
import { BulkReplayDryRun } from "./bulk-replay-dry-run.tsx";

const DRY_RUN = "/api/v1/archive/bulk-replay/dry-run";

/**
 * Orders the replay of many archived tasks: says in words which, counts and judges them without changing anything, takes
 * what every bulk action takes, and a second yes with the number for tasks that succeeded.
 */
export function BulkReplayPanel(props: {
  targets: ReplayTargets;
  close: () => void;
  /** Told once the action is stored. */
  onOrdered?: () => void;
}) {
  const { targets, close, onOrdered } = props;
  const t = useTranslations("bulkReplay");
  const format = useFormatter();
  const words = useScopeWords();
  const [ordered, setOrdered] = useState<BulkView>();
  const filter = replayFilter(targets);
  const dryRun = useDryRun<ReplayDryRun>(DRY_RUN, { filter }, ordered === undefined);
  const found = dryRun.data;
  return (
    <BulkDialog title={t("title")} text={t("consequence")} close={close} isPanel>
      <ScopeHead words={words(ordered?.filter ?? targetWords(targets, found))} close={close} />
      {ordered ? (
        <BulkOrdered bulk={ordered} close={close} />
      ) : dryRun.error ? (
        <ProblemMessage error={dryRun.error} retry={() => void dryRun.refetch()} />
      ) : (
        <>
          <BulkReplayDryRun dryRun={found} isCounting={dryRun.isFetching} recount={() => void dryRun.refetch()} />
          {found?.isCapped === true && (
            <p role="alert" className="rounded-md bg-warn-tint px-3 py-2 text-warn">
              {t("tooMany", { count: format.number(found.count) })}
            </p>
          )}
          {found && found.count > 0 && !found.isCapped && (
            <BulkOrderForm
              action="replay"
              dryRun={found}
              succeeded={found.succeeded}
              send={(choices) =>
                postJson<BulkView>("/api/v1/archive/bulk-replay", {
                  ...{ filter, seenAt: found.asOf, ...choices },
                  // The form sends nothing before the second yes.
                  confirmSucceeded: found.succeeded > 0,
                })
              }
              onOrdered={(bulk) => {
                setOrdered(bulk);
                onOrdered?.();
              }}
              recount={() => void dryRun.refetch()}
            />
          )}
        </>
      )}
    </BulkDialog>
  );
}
