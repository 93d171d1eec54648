import "server-only";
import { readDatabaseNow } from "../../../db/queries/database-now.ts";
import { listActions } from "../../../db/queries/list-actions.ts";
import type { Asker } from "../asker.ts";
import { consoleDatabase } from "../database.ts";
import { sharedReads } from "../shared-reads.ts";
import { type ActionItem, actionItems } from "./actions.ts";

const SINCE_MS = 7 * 86_400_000;
const SHOWN_MAX = 5;

export interface RecentActions {
  readonly asOf: string;
  readonly items: readonly ActionItem[];
}

/** The last five things that people did to what the asker sees, within a week. */
export async function readRecentActions(asker: Asker): Promise<RecentActions> {
  const { asOf, actions } = await sharedReads().read("recent actions", () =>
    consoleDatabase().use(async (session) => {
      const now = await readDatabaseNow(session);
      const since = new Date(now.getTime() - SINCE_MS);
      return { asOf: now.toISOString(), actions: await listActions(session, { since, limit: 500 }) };
    }),
  );
  return { asOf, items: actionItems(asker, actions, SHOWN_MAX) };
}
