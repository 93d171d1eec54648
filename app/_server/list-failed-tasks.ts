import "server-only";
import { type FailedTask, listFailedTasks as readFailedTasks } from "../../db/queries/list-failed-tasks.ts";
import type { TaskCursor } from "../../db/queries/list-tasks.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { encodeCursor } from "./task-cursor.ts";
import { withMaskedHead } from "./mask-head.ts";

/** A failed task as the list shows it: ids as text, instants as ISO text, no payload. */
export type FailedTaskItem = Omit<FailedTask, "failedAt"> & { readonly failedAt: string };

export interface FailedTaskPage {
  /** The database's clock when the page was read. */
  readonly asOf: string;
  readonly items: readonly FailedTaskItem[];
  readonly nextCursor: string | undefined;
}

/** One page of the tasks that failed for good, of one event type or of all that the asker may see. */
export async function listFailedTasks(
  asker: Asker,
  params: {
    readonly eventType?: string | undefined;
    readonly limit: number;
    readonly cursor?: TaskCursor | undefined;
  },
): Promise<FailedTaskPage> {
  const { eventType, limit, cursor } = params;
  const eventTypes = asker.typesWithin(eventType === undefined ? undefined : [eventType]);
  const page = await consoleDatabase().use((session) => readFailedTasks(session, { eventTypes, limit, cursor }));
  return {
    asOf: page.asOf.toISOString(),
    items: page.items.map((item) => ({ ...withMaskedHead(item), failedAt: item.failedAt.toISOString() })),
    nextCursor: page.nextCursor && encodeCursor(page.nextCursor),
  };
}
