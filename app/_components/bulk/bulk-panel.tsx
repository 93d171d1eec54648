"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { BulkView, OrderFilter } from "../../_server/bulk-view.ts";
import type { DryRun } from "../../_server/dry-run-bulk.ts";
import { postJson } from "../api-client.ts";
import { ProblemMessage } from "../live-card.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import { BulkDryRun } from "./bulk-dry-run.tsx";
import { BulkOrdered } from "./bulk-ordered.tsx";
import { BulkOrderForm } from "./bulk-order-form.tsx";
import { ScopeHead } from "./bulk-scope-head.tsx";
import { useScopeWords } from "./bulk-scope-words.tsx";
import { useDryRun } from "./use-dry-run.ts";

/**
 * Orders an action over many tasks: says in words which, counts them without changing anything, takes pace, spread,
 * canary, name and reason, asks for the confirmation that their number needs, and offers the way back for ten seconds.
 * Used by the causes of failure and by the selection of the task list (`filter` is theirs, or `{ state: "all", ids }`).
 */
export function BulkPanel(props: {
  action: "reset" | "cancel";
  filter: OrderFilter;
  close: () => void;
  /** Told once the action is stored. */
  onOrdered?: (bulk: BulkView) => void;
}) {
  const { action, filter, close, onOrdered } = props;
  const t = useTranslations("bulkPanel");
  const words = useScopeWords();
  const [ordered, setOrdered] = useState<BulkView>();
  const dryRun = useDryRun<DryRun>("/api/v1/bulk/dry-run", { action, filter }, ordered === undefined);
  return (
    <BulkDialog title={t(`title_${action}`)} text={t(`consequence_${action}`)} close={close} isPanel>
      <ScopeHead words={words(filter)} close={close} />
      {ordered ? (
        <BulkOrdered bulk={ordered} close={close} />
      ) : dryRun.error ? (
        <ProblemMessage error={dryRun.error} retry={() => void dryRun.refetch()} />
      ) : (
        <>
          <BulkDryRun dryRun={dryRun.data} isCounting={dryRun.isFetching} recount={() => void dryRun.refetch()} />
          {dryRun.data && dryRun.data.count > 0 && (
            <BulkOrderForm
              action={action}
              dryRun={dryRun.data}
              send={(choices) =>
                postJson<BulkView>("/api/v1/bulk", { action, filter, seenAt: dryRun.data.asOf, ...choices })
              }
              onOrdered={(bulk) => {
                setOrdered(bulk);
                onOrdered?.(bulk);
              }}
              recount={() => void dryRun.refetch()}
            />
          )}
        </>
      )}
    </BulkDialog>
  );
}
