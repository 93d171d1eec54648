import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RowDataPacket } from "mysql2/promise";
import { nodeScript } from "../../db/testing/node-script.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { CrashChildConfig } from "./crash-child.ts";
import type { CrashRun, Fate, Outcome } from "./crash-cases.ts";
import { CallLedger, crashHandler, CRASH_TYPE, type LedgerCall } from "./crash-handler.ts";
import { attemptsOf, taskFacts, type TaskFact } from "./task-facts.ts";
import { startEngine } from "./test-engine.ts";
import { waitFor } from "./wait-for.ts";

const CHILD = nodeScript(new URL("./crash-child.ts", import.meta.url));
const LIFE_MS_MAX = 60_000;
const DEAD_OWNER = "dead-before";

/** What a process left behind, once another has taken over and everything has ended. */
export interface CrashResult {
  /** How the process ended; anything but SIGKILL means that it never came to the step. */
  readonly ended: string;
  readonly fates: Partial<Record<Outcome, Fate>>;
  /** Every law that does not hold. */
  readonly faults: readonly string[];
}

const END: Readonly<Record<Outcome, { status: TaskStatus; retryCount: number }>> = {
  success: { status: "succeeded", retryCount: 0 },
  skipped: { status: "succeeded", retryCount: 0 },
  transaction: { status: "succeeded", retryCount: 0 },
  retry: { status: "succeeded", retryCount: 1 },
  failed: { status: "failed", retryCount: 1 },
  snoozed: { status: "succeeded", retryCount: 0 },
  cancelled: { status: "cancelled", retryCount: 0 },
  released: { status: "succeeded", retryCount: 0 },
  refused: { status: "succeeded", retryCount: 0 },
  waiting: { status: "succeeded", retryCount: 0 },
};

/** Kills a process at the step and lets another one end its work; the database is emptied before. */
export async function walkCrash(test: TestDatabase, run: CrashRun): Promise<CrashResult> {
  for (const table of ["t_retry_task", "t_retry_attempt", "t_retry_worker", "business", "effect"]) {
    await test.pool.query(`DELETE FROM ${table}`);
  }
  const outcomes = Object.keys(run.fates) as Outcome[];
  await setScene(test, run, outcomes);
  const path = join(tmpdir(), `redrive-crash-${randomBytes(6).toString("hex")}`);
  const ledger = new CallLedger(path);
  try {
    const { url, zone } = test;
    const { point, scene } = run;
    const ended = await playScene({ url, zone: zone.name, ledger: path, point, scene, outcomes });
    await succeed(test, ledger);
    return { ended, ...(await judge(test, outcomes, ledger.read())) };
  } finally {
    rmSync(path, { force: true });
  }
}

/** What must be in the tables before the process begins. */
async function setScene(test: TestDatabase, { scene }: CrashRun, outcomes: readonly Outcome[]): Promise<void> {
  if (scene === "create" || scene === "stop" || scene === "abort" || scene === "forgotten") return;
  const owned = { status: "running", owner: DEAD_OWNER, claimNo: 1 } as const;
  if (scene === "recycle") {
    await test.pool.query(
      `INSERT INTO t_retry_worker (owner, host, ip, pid, version, state, dead_after_ms, event_types, pools, started_time, beat_time)
        VALUES (?, 'h', '127.0.0.1', 1, '0', 'running', 1000, '[]', '{}', '2020-01-01', '2020-01-01')`,
      [DEAD_OWNER],
    );
  }
  await test.database.use(async (session) => {
    for (const bizKey of outcomes) {
      const base = { eventType: CRASH_TYPE, bizKey, bizContext: "null", maxRetryCount: 5, dueInMs: -1_000 };
      await insertTaskRow(session, scene === "recycle" ? { ...base, ...owned } : base);
    }
  });
}

async function playScene(config: CrashChildConfig): Promise<string> {
  const child = spawn(process.execPath, [...CHILD, JSON.stringify(config)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const impatience = setTimeout(() => child.kill("SIGTERM"), LIFE_MS_MAX);
  const ended = await new Promise<string>((resolve) => {
    child.once("close", (code, signal) => resolve(signal ?? `exit ${String(code)}`));
  });
  clearTimeout(impatience);
  return complaint === "" ? ended : `${ended}: ${complaint}`;
}

/** Another process, here this one, takes over; answers when every task has ended. */
async function succeed(test: TestDatabase, ledger: CallLedger): Promise<void> {
  await test.pool.query(
    "UPDATE t_retry_task SET next_retry_time = '2020-01-01' WHERE status = 0 AND biz_key = 'refused'",
  );
  const settings = { beatIntervalMs: 100, recycleIntervalMs: 100, foreignAfterMs: 3_600_000 };
  const { engine } = await startEngine(test, [crashHandler({ ledger })], settings);
  try {
    await waitFor(
      "every task to end",
      async () => {
        // The last sign of life of the one that died is too old from now on, also if it arrives only now.
        await test.pool.query(
          "UPDATE t_retry_worker SET beat_time = '2020-01-01' WHERE owner <> ? AND state = 'running'",
          [engine.owner],
        );
        const facts = await taskFacts(test);
        return facts.every(({ status }) => status !== "pending" && status !== "running");
      },
      30_000,
    );
  } finally {
    await engine.stop();
  }
}

async function judge(
  test: TestDatabase,
  outcomes: readonly Outcome[],
  calls: readonly LedgerCall[],
): Promise<Pick<CrashResult, "fates" | "faults">> {
  const faults: string[] = [];
  const facts = await taskFacts(test);
  const byKey = new Map(facts.map((fact) => [fact.bizKey, fact]));
  const recycled = await attemptsOf(test, "recycled");
  const fates: Partial<Record<Outcome, Fate>> = {};
  for (const outcome of outcomes) {
    const fact = byKey.get(outcome);
    const ofTask = calls.filter(({ bizKey }) => bizKey === outcome);
    if (!fact) {
      fates[outcome] = "undone";
      if (ofTask.length > 0) faults.push(`${outcome}: called ${ofTask.length} times and not there`);
      continue;
    }
    const lost = recycled.filter(
      ({ taskId, claimNo }) => taskId === fact.id && ofTask.some((one) => one.claimNo === claimNo),
    );
    fates[outcome] = lost.length > 0 ? "again" : "same";
    if (lost.length > 1) faults.push(`${outcome}: ${lost.length} calls without a stored result`);
    faults.push(...faultsOfTask(outcome, fact, ofTask));
  }
  const [business] = await test.pool.query<RowDataPacket[]>("SELECT COUNT(*) AS n FROM business");
  const created = facts.some(({ bizKey }) => outcomes.includes(bizKey as Outcome));
  if (Number(business[0]?.["n"]) > 0 && !created) faults.push("a business row without its tasks");
  const [effects] = await test.pool.query<RowDataPacket[]>("SELECT task_id FROM effect");
  const transactional = byKey.get("transaction");
  if (effects.length !== (transactional ? 1 : 0)) faults.push(`${effects.length} effects of ctx.transaction`);
  return { fates, faults };
}

function faultsOfTask(outcome: Outcome, fact: TaskFact, calls: readonly LedgerCall[]): string[] {
  const faults: string[] = [];
  const { status, retryCount } = END[outcome];
  if (fact.status !== status) faults.push(`${outcome}: ended as ${fact.status}, not ${status}`);
  if (fact.retryCount !== retryCount) faults.push(`${outcome}: ${fact.retryCount} attempts counted, not ${retryCount}`);
  if (fact.recycleCount > 2) faults.push(`${outcome}: recycled ${fact.recycleCount} times`);
  const claims = calls.map(({ claimNo }) => claimNo);
  if (new Set(claims).size !== claims.length) faults.push(`${outcome}: a claim was run twice (${claims.join(", ")})`);
  if (claims.some((claimNo, index) => index > 0 && claimNo <= (claims[index - 1] ?? 0))) {
    faults.push(`${outcome}: claims ran out of order (${claims.join(", ")})`);
  }
  if (claims.length === 0) faults.push(`${outcome}: never called`);
  if (claims.at(-1) !== fact.claimNo)
    faults.push(`${outcome}: the last call had claim ${claims.at(-1)}, the row has ${fact.claimNo}`);
  return faults;
}
