import type { RowDataPacket } from "mysql2/promise";
import { expect } from "vitest";
import type { TestDatabase } from "../../../db/testing/test-database.ts";
import { ChildEngine, type ChildType, monotonicMs } from "../../testing/child-engine.ts";
import { insertDueTasks, taskFacts, whenAll } from "../../testing/task-facts.ts";
import { waitFor } from "../../testing/wait-for.ts";

/** Tasks of each kind that are under way when an outage begins. */
const COUNT = 60;
/** Statements under way in a black hole are given up after 10 s; everything else comes back quicker. */
const BACK_WITHIN_MS = 14_000;
const ENGINE = { beatIntervalMs: 300, deadAfterMs: 1_500, recycleIntervalMs: 200, syncIntervalMs: 500 };

/** A service with its engine and every kind of handler that an outage can hit, and more of them. */
export function embeddedEngine(url: string, moreTypes: readonly ChildType[] = []): Promise<ChildEngine> {
  const common = { concurrency: 10, pollIntervalMs: 500 };
  const retry = { strategy: "FIXED" as const, firstIntervalSeconds: 1, maxRetryCount: 2 };
  return ChildEngine.start({
    url,
    engine: ENGINE,
    serviceConnectTimeoutMs: 2_000,
    quiet: ["claimed", "enqueued"],
    types: [
      { eventType: "PLAIN", ...common, steps: [{ do: "sleep", ms: 300 }] },
      { eventType: "QUERY", ...common, steps: [{ do: "sleep", ms: 300 }, { do: "serviceQuery" }] },
      {
        eventType: "OWN",
        ...common,
        steps: [
          { do: "sleep", ms: 200 },
          { do: "transaction", ms: 100 },
        ],
      },
      {
        eventType: "BAD",
        ...common,
        retry,
        steps: [{ do: "sleep", ms: 100 }, { do: "fail" }],
      },
      ...moreTypes,
    ],
  });
}

export async function insertEveryKind(test: TestDatabase): Promise<void> {
  for (const eventType of ["PLAIN", "QUERY", "OWN"]) await insertDueTasks(test, eventType, COUNT);
  await insertDueTasks(test, "BAD", COUNT / 4, { maxRetryCount: 2 });
}

export interface Outage {
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
  readonly lastsMs?: number;
  /** Another instance works meanwhile. */
  readonly hasHelp?: boolean;
  /** The database still answers reads. */
  readonly isReadOnly?: boolean;
}

/** Runs an outage in the middle of the work; asserts what must hold during it and that all comes back by itself. */
export async function liveThrough(test: TestDatabase, child: ChildEngine, outage: Outage): Promise<void> {
  const lastsMs = outage.lastsMs ?? 2_500;
  await insertEveryKind(test);
  await child.waitUntil("handlers are running", () => child.calls("start").length > 20);
  await outage.begin();
  const beganAt = monotonicMs();
  await child.waitUntil("health says so", async () => {
    const { isAlive, lastError, isReadOnly } = await child.health();
    return !isAlive && lastError !== undefined && isReadOnly === (outage.isReadOnly ?? false);
  });
  // The service's own statement has no limit: what is sent into a black hole waits there until it is delivered late.
  await expect(child.enqueue([{ eventType: "PLAIN", bizKey: "during" }], 5_000)).rejects.toThrow();
  await waitFor("the outage has lasted", () => monotonicMs() - beganAt > lastsMs, lastsMs + 5_000);
  const lapsedAt = beganAt + ENGINE.deadAfterMs;
  const late = child.calls("start").filter((call) => call.at > lapsedAt);
  expect(late.map((call) => `${call.eventType} ${call.id}/${call.claimNo}, ${call.at - lapsedAt} ms late`)).toEqual([]);
  const complaints = child.events("loopError").filter((line) => line.at > beganAt);
  expect(complaints.length).toBeLessThan((lastsMs / 1_000) * 20);

  const endingAt = monotonicMs();
  await outage.end();
  const endedAt = monotonicMs();
  await child.waitUntil("health is good again", async () => {
    const { isAlive, lastError, isReadOnly } = await child.health();
    return isAlive && lastError === undefined && !isReadOnly;
  });
  await insertDueTasks(test, "PLAIN", 1, { prefix: "afterwards" });
  await whenAll(test, ["succeeded", "failed"], { timeoutMs: 30_000 });
  const backAt = child.calls("start").find((call) => call.at > endingAt)?.at ?? Number.POSITIVE_INFINITY;
  if (!outage.hasHelp) expect(backAt - endedAt).toBeLessThanOrEqual(BACK_WITHIN_MS);
  await waitFor("eager runs work", async () => {
    const created = await child.enqueue([{ eventType: "PLAIN", bizKey: `eager-${monotonicMs()}` }]).catch(() => []);
    return created[0]?.status === "running";
  });
  await whenAll(test, ["succeeded", "failed"]);
}

/** No loss, no attempt counted for the outage, no effect twice, no handler without a written claim. */
export async function assertUnharmed(test: TestDatabase, children: readonly ChildEngine[]): Promise<void> {
  const facts = await taskFacts(test);
  for (const fact of facts) {
    const isBad = fact.eventType === "BAD";
    expect(fact).toMatchObject({ status: isBad ? "failed" : "succeeded", retryCount: isBad ? 2 : 0 });
  }
  expect(facts.filter((fact) => fact.eventType === "BAD")).toHaveLength(COUNT / 4);
  for (const eventType of ["QUERY", "OWN"]) {
    expect(facts.filter((fact) => fact.eventType === eventType)).toHaveLength(COUNT);
  }
  const [effects] = await test.pool.query<RowDataPacket[]>(
    "SELECT COUNT(*) AS n, COUNT(DISTINCT task_id) AS d FROM effect",
  );
  expect(effects[0]).toMatchObject({ n: COUNT, d: COUNT });
  const claimNoById = new Map(facts.map((fact) => [fact.id, fact.claimNo]));
  const claims = new Set<string>();
  for (const call of children.flatMap((child) => child.calls("start"))) {
    expect(call.claimNo).toBeLessThanOrEqual(claimNoById.get(call.id) ?? 0);
    expect(claims.has(`${call.id}/${call.claimNo}`)).toBe(false);
    claims.add(`${call.id}/${call.claimNo}`);
  }
  for (const child of children) {
    expect(child.isRunning).toBe(true);
    expect(child.stderr.join("")).toBe("");
  }
}
