import "server-only";
import { readDatabaseNow } from "../../../db/queries/database-now.ts";
import { CAUSE_ATTEMPTS_MAX, listCauseHours, readErrorHeads } from "../../../db/queries/list-causes.ts";
import type { Asker } from "../asker.ts";
import { consoleDatabase } from "../database.ts";
import { maskText } from "../sensitive-text.ts";
import { sharedReads } from "../shared-reads.ts";
import { type CauseSummary, causesOf, firstLine } from "./causes.ts";

const SHOWN_MAX = 8;

export interface Cause extends Omit<CauseSummary, "attemptId"> {
  /** The first line of the newest error; null if it left no text or is gone. */
  readonly sample: string | null;
}

export interface TopCauses {
  /** The database's clock. */
  readonly asOf: string;
  /** Null: all failures of 24 hours are counted. Else there were too many, and the counts begin here. */
  readonly countedSince: string | null;
  /** Attempts of each kind that are read at most. */
  readonly attemptsMax: number;
  /** How many causes there are; `items` holds the worst of them. */
  readonly total: number;
  readonly items: readonly Cause[];
}

/** Why attempts failed in the last 24 hours, of the types that the asker sees, worst cause first. */
export async function readTopCauses(asker: Asker): Promise<TopCauses> {
  const read = await sharedReads().read("causes", () =>
    consoleDatabase().use(async (session) => ({
      asOf: await readDatabaseNow(session),
      ...(await listCauseHours(session)),
    })),
  );
  const causes = causesOf(read.hours.filter(({ eventType }) => asker.sees(eventType)));
  const shown = causes.slice(0, SHOWN_MAX);
  const ids = shown.map(({ attemptId }) => attemptId);
  const heads = await sharedReads().read(`causes ${ids.join()}`, () =>
    consoleDatabase().use((session) => readErrorHeads(session, ids)),
  );
  return {
    asOf: read.asOf.toISOString(),
    countedSince: read.countedSince?.toISOString() ?? null,
    attemptsMax: CAUSE_ATTEMPTS_MAX,
    total: causes.length,
    items: shown.map(({ attemptId, ...cause }) => ({
      ...cause,
      sample: maskText(firstLine(heads.get(attemptId) ?? "") ?? "") || null,
    })),
  };
}
