import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { explainStatements, keysOf, planFaults } from "../testing/explain.ts";
import { fillArchive } from "../testing/filled-archive.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import type { ArchivedRef, ArchivedTargets, BulkFilter } from "./bulk-scope.ts";
import { judgeReplays } from "./judge-replays.ts";
import { readArchivedSummaries } from "./read-archived-summaries.ts";
import { listReplayCandidates } from "./replay-candidates.ts";
import { countSkips } from "./bulk-outcome.ts";
import { insertReplayItems, listKnownReplays, listReplayItems } from "./replay-items.ts";
import {
  findHeldKeys,
  findOlderCopies,
  findReplayed,
  readReplayOriginals,
  readReplaySources,
  type ReplaySource,
} from "./replay-sources.ts";
import { summarizeArchived } from "./replay-summary.ts";

const DAY_MS = 86_400_000;
const NOW = Date.now();
const DAYS = 40;

const SKIPPED = { result: "skipped", detail: "purged" } as const;
const DONE = { result: "done", liveId: "3" } as const;

interface Sample {
  readonly refs: readonly ArchivedRef[];
  readonly sources: readonly ReplaySource[];
}

interface Case {
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session, sample: Sample) => Promise<unknown>;
  /** Per statement that reads stored rows, in order: the indexes it goes through. */
  readonly uses: readonly string[];
}

const filterOf = (archive: Partial<ArchivedTargets>, eventTypes = ["T0"]): BulkFilter => ({
  state: "all",
  eventTypes,
  archive: {
    from: new Date(NOW - 13 * DAY_MS).toISOString(),
    to: new Date(NOW - 10 * DAY_MS).toISOString(),
    withSucceeded: false,
    ...archive,
  },
});
const after = (session: Session) => session.zone.format(new Date(NOW - 12 * DAY_MS));

const CASES: readonly Case[] = [
  {
    covers: "listReplayCandidates",
    how: "of a type",
    run: (session) => listReplayCandidates(session, filterOf({}), { kind: "archive", lane: 0 }),
    uses: ["idx_type_time"],
  },
  {
    covers: "listReplayCandidates",
    how: "of a type and a state, after a cursor",
    run: (session) =>
      listReplayCandidates(session, filterOf({ status: "failed" }), {
        ...({ kind: "archive", lane: 0, id: "77" } as const),
        at: after(session),
      }),
    uses: ["idx_type_time"],
  },
  {
    covers: "listReplayCandidates",
    how: "of a cause and some types, after a cursor",
    run: (session) =>
      listReplayCandidates(session, filterOf({ cause: "f1" }, ["T0", "T3"]), {
        ...({ kind: "archive", lane: 0, id: "77" } as const),
        at: after(session),
      }),
    uses: ["idx_cause"],
  },
  {
    covers: "summarizeArchived",
    how: "of two types",
    run: (session) => summarizeArchived(session, filterOf({ status: "failed" }, ["T0", "T1"])),
    uses: ["idx_type_time", "idx_type_time"],
  },
  {
    covers: "summarizeArchived",
    how: "of a cause",
    run: (session) => summarizeArchived(session, filterOf({ cause: "f1" })),
    uses: ["idx_cause"],
  },
  {
    covers: "summarizeArchived",
    how: "of picked tasks",
    run: (session, { refs }) => summarizeArchived(session, filterOf({ picked: refs })),
    uses: ["PRIMARY"],
  },
  { covers: "readReplaySources", run: (session, { refs }) => readReplaySources(session, refs), uses: ["PRIMARY"] },
  { covers: "readReplayOriginals", run: (session, { refs }) => readReplayOriginals(session, refs), uses: ["PRIMARY"] },
  {
    covers: "readArchivedSummaries",
    run: (session, { refs }) => readArchivedSummaries(session, refs.slice(0, 20)),
    uses: ["PRIMARY"],
  },
  { covers: "findOlderCopies", run: (session, { sources }) => findOlderCopies(session, sources), uses: ["idx_biz"] },
  { covers: "findReplayed", run: (session, { refs }) => findReplayed(session, refs), uses: ["idx_task + idx_task"] },
  { covers: "findHeldKeys", run: (session, { sources }) => findHeldKeys(session, sources), uses: ["uk_event_biz"] },
  {
    covers: "judgeReplays",
    run: (session, { refs }) => judgeReplays(session, filterOf({}), refs),
    uses: ["PRIMARY", "uk_event_biz", "idx_biz", "idx_task + idx_task"],
  },
  { covers: "listKnownReplays", run: (session, { refs }) => listKnownReplays(session, "7", refs), uses: ["PRIMARY"] },
  {
    covers: "insertReplayItems",
    run: (session, { refs }) =>
      insertReplayItems(
        session,
        "99",
        refs.map((ref) => ({ ...ref, result: "skipped", detail: "live_twin", liveId: "5" })),
      ),
    uses: [],
  },
  {
    covers: "countSkips",
    how: "of a replay",
    run: (session) => countSkips(session, "7", "archived"),
    uses: ["idx_result"],
  },
  {
    covers: "listReplayItems",
    run: (session, { refs }) => listReplayItems(session, { bulkId: "7", after: refs[3], limit: 50 }),
    uses: ["PRIMARY + PRIMARY + PRIMARY"],
  },
  {
    covers: "listReplayItems",
    how: "with one result",
    run: (session) => listReplayItems(session, { bulkId: "7", result: "skipped", limit: 50 }),
    uses: ["idx_result + PRIMARY + PRIMARY"],
  },
];

const SHAPES = [
  { name: "5,000 live rows, 20,000 archived in 40 days", live: 5_000, archived: 20_000 },
  { name: "a live table that is nearly empty", live: 500, archived: 4_000 },
] as const;

describe.each(SHAPES)("with $name", (shape) => {
  let test: TestDatabase;
  let sample: Sample;
  beforeAll(async () => {
    test = await createTestDatabase();
    await fillArchive(test, { ...shape, days: DAYS, now: NOW });
    sample = await readSample(test);
  });
  afterAll(() => test.drop());

  it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
    "%s reads only along its index",
    async (_, one) => {
      const explained = await explainStatements(test, (session) => one.run(session, sample));
      // The event types are a small table that is read whole.
      const isStored = ({ table }: { readonly table: string }) =>
        (table.startsWith("t_retry") && table !== "t_retry_event_type") || ["t", "a", "e", "item"].includes(table);
      for (const { text, steps } of explained) {
        const faults = planFaults(steps.filter(isStored));
        expect({ text, faults }).toEqual({ text, faults: [] });
      }
      expect(explained.map(({ steps }) => keysOf(steps.filter(isStored))).filter((key) => key !== "")).toEqual(
        one.uses,
      );
    },
  );
});

async function readSample(test: TestDatabase): Promise<Sample> {
  const { database, pool } = test;
  return database.use(async (session) => {
    const { candidates } = await listReplayCandidates(session, filterOf({}), { kind: "archive", lane: 0 });
    const refs = candidates.slice(0, 150).map(({ id, archivedAt }) => ({ id, archivedAt }));
    await insertReplayItems(
      session,
      "7",
      refs.map((ref, n) => ({ ...ref, ...(n % 3 === 0 ? SKIPPED : DONE) })),
    );
    for (let bulkId = 8; bulkId < 40; bulkId++) {
      await insertReplayItems(
        session,
        String(bulkId),
        refs.map((ref) => ({ ...ref, ...DONE })),
      );
    }
    await pool.query("ANALYZE TABLE t_retry_bulk_replay");
    return { refs, sources: await readReplaySources(session, refs) };
  });
}
