import "server-only";
import type * as z from "zod";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import {
  insertSavedView,
  listSavedViews as readSavedViews,
  removeSavedView as deleteSavedView,
  SAVED_VIEWS_MAX,
} from "../../db/queries/saved-views.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import type { savedViewInput, savedViewsQuery } from "./saved-view-schema.ts";

export interface SavedViewItem {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly shared: boolean;
  /** One's own: it may be removed. */
  readonly own: boolean;
}

/** Machines have no account; what they keep, they keep together. */
const MACHINES = "0";

/** One's own views of a page and those that others share. */
export async function listSavedViews(
  asker: Asker,
  query: z.output<typeof savedViewsQuery>,
): Promise<{ readonly views: readonly SavedViewItem[] }> {
  const accountId = accountOf(asker);
  const views = await consoleDatabase().use((session) => readSavedViews(session, { accountId, ...query }));
  return { views: views.map(({ accountId: owner, ...view }) => ({ ...view, own: owner === accountId })) };
}

/** @throws ConsoleError view_exists for a name that is taken, too_many_views */
export async function saveView(asker: Asker, view: z.output<typeof savedViewInput>): Promise<{ readonly id: string }> {
  const accountId = accountOf(asker);
  return consoleDatabase().retryingTransaction(async (session) => {
    const known = await readSavedViews(session, { accountId, page: view.page });
    if (known.filter((one) => one.accountId === accountId).length >= SAVED_VIEWS_MAX) {
      throw new ConsoleError("too_many_views", `there are ${SAVED_VIEWS_MAX} views already; remove one first`);
    }
    const inserted = await insertSavedView(session, { ...view, accountId });
    if (inserted === "exists") {
      throw new ConsoleError("view_exists", `a view ${JSON.stringify(view.name)} exists already`);
    }
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "view.save",
      objectKind: "saved_view",
      objectId: inserted.id,
      result: "ok",
      detail: view,
    });
    return inserted;
  });
}

/** Removes one of one's own views. @throws ConsoleError view_not_found */
export async function removeView(asker: Asker, id: string): Promise<{ readonly id: string }> {
  return consoleDatabase().retryingTransaction(async (session) => {
    const isRemoved = await deleteSavedView(session, { id, accountId: accountOf(asker) });
    if (!isRemoved) throw new ConsoleError("view_not_found", `no view ${id} of this account`);
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "view.remove",
      objectKind: "saved_view",
      objectId: id,
      result: "ok",
    });
    return { id };
  });
}

function accountOf({ signedIn }: Asker): string {
  return signedIn?.accountId ?? MACHINES;
}
