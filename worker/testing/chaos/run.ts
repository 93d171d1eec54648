import { type ScratchKind, ScratchServer } from "../../../db/testing/scratch-server.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { SessionZone } from "../../../db/session-zone.ts";
import { storeBulk } from "../bulk-scene.ts";
import { createServiceTables } from "../task-facts.ts";
import { waitFor } from "../wait-for.ts";
import { readAftermath } from "./aftermath.ts";
import { commit, type FaultParts, heal, pause } from "./faults.ts";
import { Member } from "./fleet.ts";
import { LedgerServer } from "./ledger.ts";
import { brokenLaws, type Evidence } from "./laws.ts";
import { type FaultKind, faultProgram } from "./program.ts";
import { type ChaosFigures, figuresOf } from "./figures.ts";
import { FOREIGN_TYPE } from "./setting.ts";

const WORKERS = 3;
const SERVICES = 2;
const FOREIGN_TASKS = 10;
const BULK_EVERY_MS = 4_000;
const REST_MS_MAX = 180_000;
const MEMORY_MAX = 400 * 1_048_576;

export interface ChaosOptions {
  readonly seconds: number;
  readonly seed: number;
  /** A server on this machine that is nobody's own: it is neither restarted nor made read-only. Left out: a private one. */
  readonly url?: string | undefined;
  /** Which server is started where no `url` is given. Default MariaDB. */
  readonly privateServer?: ScratchKind;
  /** Business transactions per second of each service. Default 12. */
  readonly perSecond?: number;
}

export interface ChaosReport extends ChaosFigures {
  readonly server: string;
  readonly seed: number;
  readonly seconds: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** From the last fault until every task had ended. */
  readonly restMs: number;
  readonly memoryBytes: number;
  readonly broken: readonly string[];
}

/** Runs a fleet through a program of faults, lets it come to rest, and checks every law. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const server = options.url === undefined ? await ScratchServer.create(options.privateServer) : undefined;
  const base = options.url ?? server?.url;
  try {
    const test = await createTestDatabase({ zone: SessionZone.utc, ...(base === undefined ? {} : { base }) });
    test.pool.pool.on("connection", (connection) => connection.on("error", () => undefined));
    try {
      return await runOn(test, server, options);
    } finally {
      await patiently(() => test.drop());
    }
  } finally {
    await server?.remove();
  }
}

async function runOn(
  test: TestDatabase,
  server: ScratchServer | undefined,
  options: ChaosOptions,
): Promise<ChaosReport> {
  const { seed, seconds } = options;
  await createServiceTables(test);
  await insertForeign(test);
  let url = test.url;
  if (server) {
    // Root writes even on a read-only server; a service does not.
    await server.run("CREATE USER plain@'127.0.0.1'");
    await server.run("GRANT ALL PRIVILEGES ON `redrive\\_test\\_%`.* TO plain@'127.0.0.1'");
    url = url.replace("root@", "plain@");
  }
  const ledger = await LedgerServer.start();
  const members: Member[] = [];
  try {
    for (let index = 0; index < WORKERS + SERVICES; index++) {
      const isWorker = index < WORKERS;
      const name = isWorker ? `worker${index}` : `service${index - WORKERS}`;
      const perSecond = isWorker ? 0 : (options.perSecond ?? 12);
      members.push(await Member.start(url, { name, ledgerPort: ledger.port, gate: ledger.gate, perSecond }));
    }
    await waitFor("the fleet to be ready", () => members.every((member) => member.isReady), 60_000);
    const parts: FaultParts = { test, members, server };
    const program = faultProgram({
      seed,
      lengthMs: seconds * 1_000,
      processes: members.length,
      ownsServer: server !== undefined,
    });
    const faults: Partial<Record<FaultKind, number>> = {};
    const operator = operate(test);
    const startedMs = performance.now();
    const underWay: Promise<void>[] = [];
    for (const fault of program) {
      await pause(startedMs + fault.atMs - performance.now());
      faults[fault.kind] = (faults[fault.kind] ?? 0) + 1;
      // What cannot be done at this moment (no session to kill on a server that is away) is no fault of the engine.
      underWay.push(commit(fault, parts).catch(() => undefined));
    }
    await pause(startedMs + seconds * 1_000 - performance.now());
    await Promise.all(underWay);
    await patiently(() => heal(parts));
    const healedMs = performance.now();
    const broken = await comeToRest(test, members, ledger, operator);
    const restMs = Math.round(performance.now() - healedMs);
    for (const member of members) member.tell({ do: "memory" });
    await waitFor("memory figures", () => members.every(({ memoryBytes }) => memoryBytes > 0)).catch(() => undefined);
    const memoryBytes = Math.max(...members.map((member) => member.memoryBytes));
    if (memoryBytes > MEMORY_MAX) broken.push(`law 9: a process has ${memoryBytes} bytes`);
    broken.push(...members.flatMap(({ complaints }) => complaints).map((text) => `law 9: ${text}`));
    await Promise.all(members.map((member) => member.end()));
    const evidence: Evidence = {
      aftermath: await patiently(() => readAftermath(test)),
      ledger: ledger.read(),
      foreignTasks: FOREIGN_TASKS,
    };
    broken.push(...brokenLaws(evidence));
    return { server: test.kind, seed, seconds, faults, ...figuresOf(evidence, members), restMs, memoryBytes, broken };
  } finally {
    await Promise.all(members.map((member) => member.end()));
    await ledger.stop();
  }
}

/** Everything but the tasks that hang ends first; then those, too. Answers which laws that has broken. */
async function comeToRest(
  test: TestDatabase,
  members: readonly Member[],
  ledger: LedgerServer,
  operator: { stop(): Promise<void> },
): Promise<string[]> {
  const broken: string[] = [];
  await operator.stop();
  const open = (condition: string) => async (): Promise<boolean> => {
    for (const member of members) member.tell({ do: "stopCreating" });
    const [rows] = await test.pool.query(
      `SELECT id FROM t_retry_task WHERE status IN (0, 3) AND event_type <> '${FOREIGN_TYPE}' AND ${condition} LIMIT 1`,
    );
    const [bulks] = await test.pool.query(
      "SELECT id FROM t_retry_bulk WHERE state IN ('scheduled', 'running', 'canary') LIMIT 1",
    );
    return (rows as unknown[]).length + (bulks as unknown[]).length > 0;
  };
  const ended = async (what: string, condition: string): Promise<void> => {
    const isOpen = open(condition);
    await waitFor(what, async () => !(await isOpen().catch(() => true)), REST_MS_MAX).catch((error: unknown) => {
      broken.push(`law 1: ${String(error)}`);
    });
  };
  await ended("every task that does not hang to end", "event_type <> 'STUCK'");
  const [stuck] = await test.pool.query(
    "SELECT id FROM t_retry_task WHERE status IN (0, 3) AND event_type = 'STUCK' LIMIT 1",
  );
  if ((stuck as unknown[]).length === 0) broken.push("law 5: no task hung while the others ended");
  ledger.openGate();
  await ended("the tasks that hung to end", "TRUE");
  return broken;
}

/** An operator who resets what has failed, in bulk and again and again. */
function operate(test: TestDatabase): { stop(): Promise<void> } {
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      await pause(BULK_EVERY_MS);
      await storeBulk(test, { filter: { eventTypes: ["BAD", "FLAKY"] } }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await work;
    },
  };
}

async function insertForeign(test: TestDatabase): Promise<void> {
  const rows = Array.from({ length: FOREIGN_TASKS }, (_, index) => [FOREIGN_TYPE, `foreign-${index}`]);
  await test.pool.query(
    `INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)
      VALUES ${rows.map(() => "(?, ?, 'null', 0, 3, 'FIXED', 1, '2020-01-01')").join(", ")}`,
    rows.flat(),
  );
}

/** A session that a fault has ended may be met once more. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= 10) throw error;
      await pause(300);
    }
  }
}
