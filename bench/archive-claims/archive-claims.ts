import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { DUTY_ROWS_PER_SECOND } from "../../worker/duties/archive-pace.ts";
import { conditionsOf } from "../conditions.ts";
import { prepareChunks, seedPart, type SeedPart } from "../console/seed-chunks.ts";
import { quantile, rounded, spreadOf } from "../figures.ts";
import { cpuSecondsOf, pidListeningOn } from "../server-process.ts";
import type { Moved } from "./archiver-child.ts";
import { claimFor, insertFor, type Took } from "./claims.ts";

const CHILD = fileURLToPath(new URL("./archiver-child.ts", import.meta.url));
const SEED_LOOPS = 2;
const NOTE = "x".repeat(160);

/** Turns in a row in which the archiver may move nothing. */
const IDLE_TURNS_MAX = 20;

export interface ArchiveClaimsOptions {
  readonly url: string | undefined;
  /** Tasks that are moved while claims are timed. */
  readonly rows: number;
  /** How long each turn without the archiver takes. */
  readonly seconds: number;
  /** How long each turn with the archiver takes. */
  readonly archiveSeconds: number;
  readonly rowsPerSecond: number;
  /** Transactions of a service that insert a task each, a second, in every turn; 0: the claims are all there is. */
  readonly business: number;
}

export const ARCHIVE_CLAIMS_USAGE =
  "usage: npm run bench -- archive-claims [--url mysql://…] [--rows 1000000] [--seconds 10] [--archive-seconds 10] [--rate 500] [--business 0]";

/** @throws Error that says what is wrong with the arguments. */
export function archiveClaimsOptions(args: readonly string[]): ArchiveClaimsOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: text,
      rows: text,
      seconds: text,
      "archive-seconds": text,
      rate: text,
      business: text,
    },
  });
  const number = (name: Exclude<keyof typeof values, "url">, initial: number, least = 1) => {
    const given = values[name] ?? String(initial);
    if (/^[0-9]{1,9}$/.test(given) && Number(given) >= least) return Number(given);
    throw new Error(`--${name} ${given} is not a whole number ${least === 0 ? "of 0 or more" : "above 0"}`);
  };
  const seconds = number("seconds", 10);
  return {
    url: values.url,
    rows: number("rows", 1_000_000),
    seconds,
    archiveSeconds: number("archive-seconds", seconds),
    rowsPerSecond: number("rate", DUTY_ROWS_PER_SECOND),
    business: number("business", 0, 0),
  };
}

interface Turn {
  readonly archiver: boolean;
  readonly claims: number;
  readonly claimP50Ms: number;
  readonly claimP99Ms: number;
  readonly insertP50Ms: number;
  readonly insertP99Ms: number;
  /** The database server's CPU, as a share of one core. */
  readonly serverCpu: number | null;
  readonly moved: number;
  readonly movedPerSecond: number | null;
}

/**
 * Claims by turns without and with an archiver in a process of its own, until that has moved everything: what the claims
 * lose. Turns that lie next to each other are compared, so that what else the machine does hits both.
 */
export async function runArchiveClaims(
  options: ArchiveClaimsOptions,
  tell: { readonly say: (text: string) => void; readonly onLine: (line: object) => void },
): Promise<void> {
  const test = await createTestDatabase(options.url === undefined ? {} : { base: options.url });
  const child = fork(CHILD, [test.url, String(options.rowsPerSecond)], { execArgv: ["--import", "tsx"] });
  try {
    await prepareChunks(test);
    await seedPart(test, endedTasks(options.rows, test.zone.format(new Date())), { loops: SEED_LOOPS, say: tell.say });
    await test.pool.query("ANALYZE TABLE t_retry_task");
    const conditions = { ...(await conditionsOf(test)), ...options };
    await takeTurn(test, options, undefined);
    const ratios: number[] = [];
    const all = { without: emptyTook(), with: emptyTook() };
    let left = options.rows;
    let seconds = 0;
    let idleTurns = 0;
    for (let round = 0; left > 0; round++) {
      const without = await takeTurn(test, options, undefined, all.without);
      const beside = await takeTurn(test, options, child, all.with);
      left -= beside.moved;
      seconds += options.archiveSeconds;
      ratios.push(beside.claimP99Ms / without.claimP99Ms);
      for (const turn of [without, beside]) tell.onLine({ scenario: "archive-claims", round, ...turn, conditions });
      // A short turn on a machine that is busy otherwise may pass before the archiver's first batch does.
      idleTurns = beside.moved > 0 ? 0 : idleTurns + 1;
      if (idleTurns > IDLE_TURNS_MAX) {
        throw new Error(`the archiver moved nothing in ${idleTurns} turns; is something holding it up?`);
      }
    }
    tell.onLine({
      scenario: "archive-claims",
      rounds: ratios.length,
      movedPerSecond: rounded(options.rows / seconds),
      claimP99Ratio: spreadOf(ratios),
      without: summaryOf(all.without),
      with: summaryOf(all.with),
      claimP99RatioOfAll: rounded(quantile(all.with.claimMs, 0.99) / quantile(all.without.claimMs, 0.99)),
      conditions,
    });
  } finally {
    child.disconnect();
    if (child.exitCode === null) await once(child, "exit");
    await test.drop();
  }
}

/** Ended nine days ago, with a payload of some 200 bytes; of one type, so that all are one lane. */
function endedTasks(rows: number, now: string): SeedPart {
  const at = (seconds: string) => `TIMESTAMPADD(SECOND, -(${seconds}), '${now}')`;
  const ended = at("777600 + MOD(n, 80000)");
  return {
    name: "ended",
    rows,
    statements: (numbers) => [
      `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval,
          next_retry_time, create_time, update_time, claim_no, finish_reason, finished_time)
        SELECT 'BENCH_ENDED', CONCAT('ended-', n), CONCAT('{"orderId":"', n, '","note":"${NOTE}"}'), 1, 8, 'EXPONENTIAL', 10,
          ${ended}, ${ended}, ${ended}, 1, 'success', ${ended} FROM ${numbers}`,
    ],
  };
}

async function takeTurn(
  test: TestDatabase,
  options: ArchiveClaimsOptions,
  archiver: ChildProcess | undefined,
  all: Took = emptyTook(),
): Promise<Turn> {
  const seconds = archiver ? options.archiveSeconds : options.seconds;
  const pid = pidListeningOn(test.connection.port ?? 3306);
  const cpu = () => (pid === undefined ? undefined : cpuSecondsOf(pid));
  archiver?.send("go");
  const before = cpu();
  const startedMs = performance.now();
  const took = emptyTook();
  await Promise.all([claimFor(test, test.database, seconds, took), insertFor(test, options.business, seconds)]);
  const lasted = (performance.now() - startedMs) / 1_000;
  const after = cpu();
  let moved: Moved | undefined;
  if (archiver) {
    const answer = once(archiver, "message");
    archiver.send("stop");
    [moved] = (await answer) as [Moved];
  }
  all.claimMs.push(...took.claimMs);
  all.insertMs.push(...took.insertMs);
  const serverCpu = before === undefined || after === undefined ? null : rounded((after - before) / lasted);
  return {
    archiver: archiver !== undefined,
    claims: took.claimMs.length,
    ...summaryOf(took),
    serverCpu,
    moved: moved?.tasks ?? 0,
    movedPerSecond: moved ? rounded(moved.tasks / moved.seconds) : null,
  };
}

function summaryOf({ claimMs, insertMs }: Took) {
  return {
    claimP50Ms: rounded(quantile(claimMs, 0.5)),
    claimP99Ms: rounded(quantile(claimMs, 0.99)),
    insertP50Ms: rounded(quantile(insertMs, 0.5)),
    insertP99Ms: rounded(quantile(insertMs, 0.99)),
  };
}

function emptyTook(): Took {
  return { claimMs: [], insertMs: [] };
}
