import "server-only";
import { REPLAY_ROWS_MAX, summarizeArchived } from "../../db/queries/replay-summary.ts";
import type { Asker } from "./asker.ts";
import type { CreateReplayInput } from "./bulk-replay-input.ts";
import { resolveReplay } from "./bulk-replay-scope.ts";
import { isConfirmed } from "./bulk-size.ts";
import type { BulkView } from "./bulk-view.ts";
import { ConsoleError } from "./console-error.ts";
import { knownRequest, orderBulk } from "./create-bulk.ts";
import { consoleDatabase } from "./database.ts";
import { succeededOf } from "./dry-run-replay.ts";

/**
 * Stores a replay of many archived tasks as a bulk action: a worker begins it after the time for an undo, or after a
 * second person's approval. The same request key is the same action.
 * @throws ConsoleError bulk_nothing, replay_too_many, task_succeeded (not confirmed), bulk_confirm, bulk_same_open,
 * bulk_too_many, out_of_scope; step_up_required above 1,000 tasks
 */
export async function createReplay(asker: Asker, input: CreateReplayInput): Promise<BulkView> {
  asker.mustMay("bulk.act");
  const { requestKey, seenAt, confirmSucceeded = false } = input;
  const known = await knownRequest(asker, requestKey);
  if (known) return known;
  const wish = { filter: input.filter, withSucceeded: confirmSucceeded, seenAt };
  const { scope, matches } = await consoleDatabase().use(async (session) => {
    const resolved = await resolveReplay(session, asker, wish);
    return { scope: resolved, matches: await summarizeArchived(session, resolved.filter) };
  });
  const { count } = matches;
  const succeeded = succeededOf(matches);
  if (count === 0) throw new ConsoleError("bulk_nothing", "no archived task matches");
  if (matches.isCapped) {
    throw new ConsoleError("replay_too_many", `more than ${REPLAY_ROWS_MAX} archived tasks match`, {
      details: { max: REPLAY_ROWS_MAX },
    });
  }
  if (succeeded > 0 && !confirmSucceeded) {
    throw new ConsoleError(
      "task_succeeded",
      `${succeeded} of ${count} tasks succeeded: their replay must be confirmed`,
      {
        details: { succeeded },
      },
    );
  }
  if (!isConfirmed(count, input.confirmCount, succeeded > 0)) {
    throw new ConsoleError("bulk_confirm", `${count} archived tasks match; confirm that number`, {
      details: { count },
    });
  }
  return orderBulk(asker, { scope, count, input });
}
