import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import type { PoolConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysql2Seam } from "../../db/client.ts";
import { isDuplicateKey } from "../../db/mysql-errors.ts";
import { cancelTask } from "../../db/queries/cancel-task.ts";
import { claimDueTasks, claimTasksById, type ClaimedTask } from "../../db/queries/claim-tasks.ts";
import { completeTasks } from "../../db/queries/complete-tasks.ts";
import { cancelRunningTask, failTask, rescheduleTask, snoozeTask } from "../../db/queries/end-attempt.ts";
import { insertTasks } from "../../db/queries/insert-tasks.ts";
import { type AbandonedTask, listAbandonedTasks, recycleTasks } from "../../db/queries/recycle-tasks.ts";
import { releaseTasks } from "../../db/queries/release-tasks.ts";
import { resetTask } from "../../db/queries/reset-task.ts";
import { beatStatement, registerWorker } from "../../db/queries/workers.ts";
import { statusFromCode } from "../../db/schema/task-status.ts";
import { Session } from "../../db/session.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import { type HeldTransaction, holdOpen } from "../../db/testing/locks.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import {
  MODEL_DEAD_AFTER_MS,
  MODEL_FOREIGN_AFTER_MS,
  MODEL_MAX_RECYCLES,
  type ModelClaim,
  type ModelEnd,
  type ModelSighting,
  type ModelTask,
  TaskModel,
} from "../testing/task-model.ts";

/** Every step with its share; the more a step needs others before it, the larger. */
const STEP_WEIGHTS = {
  enqueue: 6,
  enqueueBornClaimed: 3,
  commit: 6,
  rollback: 1,
  claim: 8,
  claimById: 2,
  openClaim: 2,
  commitClaim: 3,
  rollbackClaim: 1,
  advance: 5,
  beat: 2,
  die: 2,
  succeed: 2,
  succeedMany: 1,
  retry: 7,
  fail: 4,
  snooze: 2,
  cancelOwn: 1,
  release: 4,
  sight: 1,
  recycle: 2,
  sightAndRecycle: 5,
  reset: 5,
  cancel: 2,
  foreignGrab: 2,
  foreignFail: 2,
} as const;
type StepName = keyof typeof STEP_WEIGHTS;

interface Step {
  readonly name: StepName;
  /** Chooses what the step is about: a key, an owner, a task, a claim. */
  readonly pick: number;
  /** Chooses how: a delay, a limit, a variant. */
  readonly vary: number;
}

const stepName = fc.oneof(
  ...Object.entries(STEP_WEIGHTS).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as StepName) })),
);
const steps = fc.array(
  fc.record<Step>(
    { name: stepName, pick: fc.noBias(fc.nat(23)), vary: fc.noBias(fc.nat(5)) },
    { noNullPrototype: true },
  ),
  { minLength: 1, maxLength: 120, size: "max" },
);

const START_MS = Date.parse("2026-10-25T00:30:00.500Z");
const ERROR = { text: "boom", fingerprint: "f" };
const IP = "10.0.0.1";

const chosen = <Item>(items: readonly Item[], pick: number): Item | undefined => items[pick % items.length];

/** One run: the steps go to the database and to the model, and after each the two must agree. */
class Run {
  readonly #test: TestDatabase;
  readonly #eventType = `RUN-${randomBytes(6).toString("hex")}`;
  readonly #model = new TaskModel(START_MS);
  readonly #generation = [0, 0];
  /** Every claim that was handed out, newest last; most of them are no longer held. */
  readonly #claims: ModelClaim[] = [];
  readonly #newestClaimNo = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  #serial = 0;
  #business:
    | { connection: PoolConnection; session: Session; tasks: { task: ModelTask; owner: string | undefined }[] }
    | undefined;
  #openClaim: { held: HeldTransaction<ClaimedTask[]>; owner: string; nowMs: number } | undefined;
  #sighted: { stored: readonly AbandonedTask[]; model: readonly ModelSighting[] } = { stored: [], model: [] };

  constructor(test: TestDatabase) {
    this.#test = test;
  }

  async play(script: readonly Step[]): Promise<void> {
    try {
      for (const slot of [0, 1]) await this.#register(slot);
      for (const step of script) {
        await this.#take(step);
        await this.#compare(step);
      }
    } finally {
      await this.#openClaim?.held.rollback();
      await this.#business?.connection.rollback();
      this.#business?.connection.release();
    }
  }

  async #take({ name, pick, vary }: Step): Promise<void> {
    const owner = this.#owner(pick % 2);
    switch (name) {
      case "enqueue":
        return this.#enqueue(pick, vary, undefined);
      case "enqueueBornClaimed":
        return this.#enqueue(pick, vary, owner);
      case "commit":
        return this.#endBusiness("commit");
      case "rollback":
        return this.#endBusiness("rollback");
      case "claim":
        return this.#claimDue(owner, 1 + (vary % 3));
      case "claimById":
        return this.#claimById(owner, pick);
      case "openClaim":
        return this.#startClaim(owner, 1 + (vary % 2));
      case "commitClaim":
        return this.#endClaim("commit");
      case "rollbackClaim":
        return this.#endClaim("rollback");
      case "advance":
        this.#model.nowMs += chosen([1, 999, 5_000, MODEL_DEAD_AFTER_MS, MODEL_DEAD_AFTER_MS + 1, 190_000], vary) ?? 1;
        return;
      case "beat":
        return this.#beat(owner);
      case "die":
        this.#generation[pick % 2] = (this.#generation[pick % 2] ?? 0) + 1;
        return this.#register(pick % 2);
      case "succeed":
        return this.#end(pick, { kind: "succeed" });
      case "succeedMany":
        return this.#succeedMany();
      case "retry":
        return this.#end(pick, { kind: "retry", delayMs: chosen([1, 1_000, 10_000], vary) ?? 1 });
      case "fail":
        return this.#end(pick, { kind: "fail", counted: vary % 3 !== 0 });
      case "snooze":
        return this.#end(pick, { kind: "snooze", delayMs: chosen([1, 1_000, 10_000], vary) ?? 1 });
      case "cancelOwn":
        return this.#end(pick, { kind: "cancel" });
      case "release":
        return this.#end(pick, { kind: "release", delayMs: chosen([undefined, 0, 5_000], vary) });
      case "sight":
        return this.#sight();
      case "recycle":
        return this.#recycle();
      case "sightAndRecycle":
        await this.#sight();
        return this.#recycle();
      case "reset":
        return this.#act(pick, "reset");
      case "cancel":
        return this.#act(pick, "cancel");
      case "foreignGrab":
        return this.#foreign(pick, "grab");
      case "foreignFail":
        return this.#foreign(pick, "fail");
    }
  }

  #owner(slot: number): string {
    return `${this.#eventType}-${slot}-${this.#generation[slot] ?? 0}`;
  }

  /** A task the step can do something with, two times out of three; else any, to see it refused. */
  #candidate(pick: number, fits: (task: ModelTask) => boolean): ModelTask | undefined {
    const rows = this.#model.rows.filter((task) => !this.#model.locked.has(task.id));
    const fitting = rows.filter(fits);
    return chosen(pick % 3 === 0 || fitting.length === 0 ? rows : fitting, pick);
  }

  /** Runs a unit of ours in one transaction, with the model's clock. */
  #transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#test.database.transaction((session) => work(session.at(new Date(this.#model.nowMs))));
  }

  async #register(slot: number): Promise<void> {
    const owner = this.#owner(slot);
    const entry = { host: "h", ip: IP, pid: 1, version: "1", deadAfterMs: MODEL_DEAD_AFTER_MS, eventTypes: [] };
    await this.#transaction((session) => registerWorker(session, { ...entry, owner }));
    this.#model.beats.set(owner, this.#model.nowMs);
  }

  async #beat(owner: string): Promise<void> {
    await this.#transaction((session) => {
      const zone = Object.create(session.zone, { now: { value: session.now } }) as SessionZone;
      return session.change(beatStatement(zone, owner));
    });
    this.#model.beats.set(owner, this.#model.nowMs);
  }

  async #enqueue(pick: number, vary: number, owner: string | undefined): Promise<void> {
    const { pool, zone } = this.#test;
    if (!this.#business) {
      const connection = await pool.getConnection();
      await connection.beginTransaction();
      this.#business = { connection, session: new Session(mysql2Seam(connection), zone), tasks: [] };
    }
    const { session, tasks } = this.#business;
    const { nowMs } = this.#model;
    // Mostly a new key, now and then one that exists.
    const bizKey = `key-${pick % 4 === 0 ? pick : ++this.#serial + 100}`;
    const delayMs = owner === undefined ? (chosen([0, 0, 1_000], vary) ?? 0) : 0;
    const maxRetryCount = 1 + (vary % 3);
    const isKnown = [...this.#model.rows, ...tasks.map(({ task }) => task)].some((task) => task.bizKey === bizKey);
    const insert = insertTasks(session.at(new Date(nowMs)), [
      {
        eventType: this.#eventType,
        bizKey,
        bizContext: "{}",
        maxRetryCount,
        retryStrategy: "FIXED",
        firstRetryIntervalSeconds: 1,
        due: { delayMs },
        ...(owner === undefined ? {} : { claim: { owner, ip: IP } }),
      },
    ]);
    if (isKnown) {
      await expect(insert, `a second task under ${bizKey}`).rejects.toSatisfy(isDuplicateKey);
      return;
    }
    const task: ModelTask = {
      id: String((await insert).insertId),
      bizKey,
      maxRetryCount,
      status: owner === undefined ? "pending" : "running",
      retryCount: 0,
      recycleCount: 0,
      claimNo: owner === undefined ? 0 : 1,
      owner: owner ?? null,
      dueMs: nowMs + delayMs,
      updatedMs: nowMs,
    };
    tasks.push({ task, owner });
  }

  async #endBusiness(how: "commit" | "rollback"): Promise<void> {
    const business = this.#business;
    if (!business) return;
    this.#business = undefined;
    await business.connection[how]();
    business.connection.release();
    if (how === "rollback") return;
    this.#model.commit(business.tasks.map(({ task }) => task));
    for (const { task, owner } of business.tasks) {
      this.#failures.set(task.id, 0);
      if (owner !== undefined) this.#handOut([task], owner);
    }
  }

  async #claimDue(owner: string, limit: number): Promise<void> {
    const expected = this.#model.claimable(limit).map(({ id }) => id);
    const claimed = await this.#transaction((session) =>
      claimDueTasks(session, { owner, ip: IP }, { eventType: this.#eventType, limit }),
    );
    this.#claimed(claimed, expected, owner);
  }

  async #claimById(owner: string, pick: number): Promise<void> {
    const task = chosen(this.#model.rows, pick);
    if (!task) return;
    const expected = this.#model.claimableById(task.id).map(({ id }) => id);
    const claimed = await this.#transaction((session) =>
      claimTasksById(session, { owner, ip: IP }, { eventType: this.#eventType, ids: [task.id] }),
    );
    this.#claimed(claimed, expected, owner);
  }

  #claimed(claimed: readonly ClaimedTask[], expected: readonly string[], owner: string): void {
    expect(claimed.map(({ id }) => id)).toEqual(expected);
    this.#model.claim(expected, owner);
    this.#handOut(claimed, owner);
  }

  /** Law: a claim number is given out once, and each is higher than the one before. */
  #handOut(claimed: readonly { id: string; claimNo: number; retryCount: number }[], owner: string): void {
    for (const { id, claimNo, retryCount } of claimed) {
      expect(claimNo, `claim number of task ${id}`).toBeGreaterThan(this.#newestClaimNo.get(id) ?? 0);
      this.#newestClaimNo.set(id, claimNo);
      this.#claims.push({ id, claimNo, owner, retryCount });
    }
  }

  /**
   * A claim that stays open. One that found fewer than it asked for is committed at once: MariaDB has then locked the
   * entry after the last due one too, and the end of that task would wait for the claim.
   */
  async #startClaim(owner: string, limit: number): Promise<void> {
    if (this.#openClaim) return;
    const { nowMs } = this.#model;
    const expected = this.#model.claimable(limit).map(({ id }) => id);
    const held = await holdOpen(this.#test.database, (session) =>
      claimDueTasks(session.at(new Date(nowMs)), { owner, ip: IP }, { eventType: this.#eventType, limit }),
    );
    this.#openClaim = { held, owner, nowMs };
    expect(held.result.map(({ id }) => id)).toEqual(expected);
    for (const id of expected) this.#model.locked.add(id);
    if (expected.length < limit) await this.#endClaim("commit");
  }

  async #endClaim(how: "commit" | "rollback"): Promise<void> {
    const open = this.#openClaim;
    if (!open) return;
    this.#openClaim = undefined;
    await open.held[how]();
    this.#model.locked.clear();
    if (how === "rollback") return;
    const { nowMs } = this.#model;
    this.#model.nowMs = open.nowMs;
    this.#model.claim(
      open.held.result.map(({ id }) => id),
      open.owner,
    );
    this.#model.nowMs = nowMs;
    this.#handOut(open.held.result, open.owner);
  }

  /** A holder writes the end of a claim, perhaps one that it lost long ago. */
  async #end(pick: number, end: ModelEnd): Promise<void> {
    const held = this.#claims.filter((one) => this.#model.isHeld(one));
    const claim = chosen(pick % 3 === 0 || held.length === 0 ? [...this.#claims].reverse() : held, pick);
    if (!claim || this.#model.locked.has(claim.id)) return;
    const before = this.#model.task(claim.id);
    const changed = await this.#transaction((session) => writeEnd(session, claim, end));
    const isHeld = this.#model.end(claim, end);
    expect(changed, `rows changed by ${end.kind} under claim ${claim.claimNo} of task ${claim.id}`).toBe(
      isHeld ? 1 : 0,
    );
    if (changed > 0) this.#accepted(claim, end, before);
  }

  async #succeedMany(): Promise<void> {
    const newest = new Map<string, ModelClaim>();
    for (const claim of this.#claims) if (!this.#model.locked.has(claim.id)) newest.set(claim.id, claim);
    for (const owner of new Set([...newest.values()].map((claim) => claim.owner))) {
      const claims = [...newest.values()].filter((claim) => claim.owner === owner);
      const changed = await this.#transaction((session) => completeTasks(session, owner, claims));
      expect(changed).toBe(claims.filter((claim) => this.#model.end(claim, { kind: "succeed" })).length);
    }
  }

  /** Law: a result is taken from the newest claim only, and only while it runs. */
  #accepted(claim: ModelClaim, end: ModelEnd, before: ModelTask): void {
    expect(claim.claimNo, `accepted ${end.kind} of task ${claim.id}`).toBe(this.#newestClaimNo.get(claim.id));
    expect([before.status, before.owner]).toEqual(["running", claim.owner]);
    if (end.kind === "retry" || (end.kind === "fail" && end.counted)) this.#countFailure(claim.id);
  }

  #countFailure(id: string): void {
    this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
  }

  async #sight(): Promise<void> {
    const stored = await this.#transaction((session) =>
      listAbandonedTasks(session, {
        eventType: this.#eventType,
        self: "the recycler",
        foreignAfterMs: MODEL_FOREIGN_AFTER_MS,
      }),
    );
    const model = this.#model.abandoned();
    expect(stored.map(({ id, claimNo, owner }) => ({ id, claimNo, owner }))).toEqual(
      model.map(({ id, claimNo, owner }) => ({ id, claimNo, owner })),
    );
    this.#sighted = { stored, model };
  }

  /** Takes back what was last sighted; much may have happened since. */
  async #recycle(): Promise<void> {
    const recycled = await this.#transaction((session) =>
      recycleTasks(session, this.#sighted.stored, { maxRecycles: MODEL_MAX_RECYCLES, by: "the recycler" }),
    );
    expect(recycled.map(({ id }) => id)).toEqual(this.#model.recycle(this.#sighted.model));
  }

  async #act(pick: number, what: "reset" | "cancel"): Promise<void> {
    const task = this.#candidate(
      pick,
      ({ status, owner }) => status === "failed" || (status === "running" && owner === null),
    );
    if (!task) return;
    const { outcome } = await this.#transaction<{ readonly outcome: string }>((session) =>
      (what === "reset" ? resetTask : cancelTask)(session, { id: task.id, actor: "ada" }),
    );
    const isDone = this.#model[what](task.id);
    expect(outcome === "done", `${what} of a task that is ${task.status}`).toBe(isDone);
    if (isDone && what === "reset") this.#failures.set(task.id, 0);
  }

  async #foreign(pick: number, what: "grab" | "fail"): Promise<void> {
    const task = this.#candidate(pick, ({ status, owner }) =>
      what === "grab" ? status === "pending" : status === "running" && owner === null,
    );
    if (!task) return;
    const { affectedRows } = await this.#transaction((session) =>
      session.change(
        what === "grab"
          ? sql`UPDATE t_retry_task SET status = 3, ip = '10.0.0.7', update_time = ${session.now} WHERE id = ${task.id} AND status = 0`
          : sql`UPDATE t_retry_task SET status = 0, ip = NULL, retry_count = retry_count + 1, update_time = ${session.now},
              next_retry_time = TIMESTAMPADD(SECOND, 2, ${session.now}) WHERE id = ${task.id} AND status = 3 AND owner IS NULL`,
      ),
    );
    const isDone = what === "grab" ? this.#model.foreignGrab(task.id) : this.#model.foreignFail(task.id, 2_000);
    expect(affectedRows).toBe(isDone ? 1 : 0);
    if (isDone && what === "fail") this.#countFailure(task.id);
  }

  /** The table must hold exactly the model's rows; laws about counts hold by their own ledger. */
  async #compare(step: Step): Promise<void> {
    const rows = await this.#test.database.use((session) =>
      session.rows<Record<string, string | number | null>>(
        sql`SELECT CAST(id AS CHAR) AS task_id, biz_key, max_retry_count, status, retry_count, recycle_count, claim_no, owner,
          next_retry_time, update_time FROM t_retry_task WHERE event_type = ${this.#eventType} ORDER BY id`,
      ),
    );
    const { zone } = this.#test;
    const stored = rows.map((row) => ({
      id: String(row["task_id"]),
      bizKey: String(row["biz_key"]),
      maxRetryCount: Number(row["max_retry_count"]),
      status: statusFromCode(Number(row["status"])),
      retryCount: Number(row["retry_count"]),
      recycleCount: Number(row["recycle_count"]),
      claimNo: Number(row["claim_no"]),
      owner: row["owner"],
      dueMs: zone.parseInstant(String(row["next_retry_time"])).getTime(),
      updatedMs: zone.parseInstant(String(row["update_time"])).getTime(),
    }));
    expect(stored, `rows after ${step.name}`).toEqual(this.#model.rows);
    expect(
      stored.map(({ id, retryCount }) => [id, retryCount]),
      `failures counted after ${step.name}`,
    ).toEqual(stored.map(({ id }) => [id, this.#failures.get(id)]));
  }
}

async function writeEnd(session: Session, claim: ModelClaim, end: ModelEnd): Promise<number> {
  const { owner } = claim;
  switch (end.kind) {
    case "succeed":
      return completeTasks(session, owner, [claim]);
    case "cancel":
      return cancelRunningTask(session, owner, claim);
    case "retry":
      return rescheduleTask(session, owner, { ...claim, delayMs: end.delayMs, error: ERROR });
    case "fail":
      return failTask(session, owner, { ...claim, reason: "exhausted", counted: end.counted, error: ERROR });
    case "snooze":
      return snoozeTask(session, owner, { ...claim, delayMs: end.delayMs });
    case "release":
      return releaseTasks(session, owner, [claim], end.delayMs);
  }
}

describe("the state machine of a task", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  // A failure prints its seed and the shortest script it found; REDRIVE_SEED plays a seed again.
  it("does in the database what the model does, whatever the order of enqueues, claims, deaths, results and people", async () => {
    const given = process.env["REDRIVE_SEED"];
    const seed = given === undefined ? randomBytes(4).readInt32BE() : Number(given);
    await fc.assert(
      fc.asyncProperty(steps, (script) => new Run(test).play(script)),
      { seed, numRuns: 100, interruptAfterTimeLimit: 60_000 },
    );
  }, 300_000);
});
