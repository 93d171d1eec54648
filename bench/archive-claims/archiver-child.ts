import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { createArchivePace } from "../../worker/duties/archive-pace.ts";
import { openArchiveDatabase, runArchive } from "../../worker/duties/archive-run.ts";
import { systemClock } from "../../worker/engine/clock.ts";

/*
 * A process that archives as the elected worker does, while it is told to: "go" begins, "stop" ends after the batch
 * under way and answers what was moved in how long. URL ROWS_PER_SECOND [BATCH_ROWS] [REST_SHARE]
 */

const [url = "", rowsPerSecond = "5000", batchRows, restShare] = process.argv.slice(2);
const target = { connection: parseDatabaseUrl(url), zone: SessionZone.utc };
const database = openArchiveDatabase(target);
const { pace } = createArchivePace(
  {
    rowsPerSecond: Number(rowsPerSecond),
    ...(batchRows ? { batchRows: Number(batchRows) } : {}),
    ...(restShare ? { restShare: Number(restShare) } : {}),
    historyMax: 1_000_000,
    replicas: [],
    replicaLagMsMax: 10_000,
  },
  { database, clock: systemClock, onBrakeError: () => undefined },
);

export interface Moved {
  readonly tasks: number;
  readonly seconds: number;
}

let stop: () => void = () => undefined;
let moving: Promise<void> = Promise.resolve();

process.on("message", (word) => {
  if (word === "stop") stop();
  else moving = moving.then(move);
});
process.on("disconnect", () => process.exit());

/** What is ripe now may be gone before "stop" comes: the answer waits for that, so that each turn has one. */
async function move(): Promise<void> {
  const controller = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      controller.abort();
      resolve();
    };
  });
  const startedMs = performance.now();
  const { tasks } = await runArchive({
    database,
    clock: systemClock,
    pace,
    countedAs: "bench",
    signal: controller.signal,
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  await stopped;
  process.send?.({ tasks, seconds } satisfies Moved);
}
