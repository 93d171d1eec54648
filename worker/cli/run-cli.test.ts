import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sql } from "drizzle-orm";
import { registerEventType } from "../../db/queries/event-types.ts";
import { registerWorker } from "../../db/queries/workers.ts";
import { insertTaskRow, readTaskRow, type TaskRowValues } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { runCli } from "./run-cli.ts";

/** Three neighbours that are one and the same JavaScript number. */
const [BELOW, BIG, ABOVE] = ["9007199254740992", "9007199254740993", "9007199254740994"] as const;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  for (const table of ["task", "attempt", "event_type", "worker"]) {
    await test.database.use((session) => session.run(`DELETE FROM t_retry_${table}`));
  }
});

const insert = (values: TaskRowValues = {}) => test.database.use((session) => insertTaskRow(session, values));
const row = (id: string) => test.database.use((session) => readTaskRow(session, id));

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function redrive(...words: string[]): Promise<Answer> {
  const written = { out: "", err: "" };
  const env = { DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name };
  const code = await runCli(words, {
    env,
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
  });
  return { code, ...written };
}

/** The document of `--json`. The tests name the shape that they expect. */
async function json<Document>(...words: string[]): Promise<{ code: number; document: Document }> {
  const { code, out, err } = await redrive(...words, "--json");
  expect(err).toBe("");
  return { code, document: JSON.parse(out) as Document };
}

interface ListDocument {
  readonly tasks: { readonly id: string; readonly eventType: string; readonly status: string }[];
  readonly nextCursor: string | null;
}

describe("the command line", () => {
  it("prints help for all verbs and for each", async () => {
    const all = await redrive("--help");
    expect(all.code).toBe(0);
    for (const verb of [
      "migrate",
      "doctor",
      "status",
      "list",
      "show",
      "explain",
      "reset",
      "cancel",
      "archive",
      "replay",
      "types",
      "user",
    ]) {
      expect(all.out).toContain(`  ${verb}`);
      const one = await redrive(verb, "--help");
      expect(one).toMatchObject({ code: 0, out: expect.stringContaining(`Usage: redrive ${verb}`) });
    }
    expect((await redrive()).code).toBe(2);
  });

  it.each([
    [["statsu"], /no verb "statsu"; did you mean status\?/],
    [["list", "--satus", "failed"], /no option --satus; did you mean --status\?/],
    [["list", "--status", "faild"], /did you mean failed\?/],
    [["list", "--limit", "0"], /--limit is "0"; write a whole number from 1 to 500/],
    [["list", "--limit", "501"], /from 1 to 500/],
    [["list", "--limit"], /--limit needs a value: --limit N/],
    [["list", "--type", "--limit"], /--type needs a value, not --limit; if it is the value, write --type=--limit/],
    [["list", "PAY"], /cannot use "PAY"/],
    [["list", "--cursor", "abc"], /--cursor is not one that a list has printed/],
    [["show"], /needs ID/],
    [["show", "1", "2"], /cannot use "2"; it takes ID/],
    [["show", "12x"], /"12x" is not a task id/],
    [["show", "0"], /is not a task id/],
    [["show", "9223372036854775808"], /from 1 to 9223372036854775807/],
    [["reset"], /needs ID…/],
    [["reset", "1", "--actor", "x".repeat(65)], /--actor has 65 characters; write at most 64/],
    [["reset", "1", "--reason", "x".repeat(513)], /write at most 512/],
    [["types", "pasue", "PAY"], /did you mean pause\?/],
    [["types", "pause"], /needs TYPE/],
  ])("refuses %j with exit code 2", async (words, message) => {
    const { code, out, err } = await redrive(...words);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(out).toBe("");
  });

  it("answers errors as one JSON document under --json", async () => {
    expect(await json("show", "77")).toEqual({
      code: 1,
      document: {
        error: {
          code: "TASK_NOT_FOUND",
          message: expect.stringContaining("task 77 is neither in the live table nor in the archive"),
        },
      },
    });
    expect(await json("lisst")).toMatchObject({ code: 2, document: { error: { code: "USAGE" } } });
  });

  it("tells all problems of the environment", async () => {
    let err = "";
    const code = await runCli(["status"], {
      env: { REDRIVE_ZONE: "CET" },
      stdout: () => undefined,
      stderr: (text) => (err += text),
    });
    expect(code).toBe(2);
    expect(err).toMatch(/^DATABASE_URL is not set.*\nREDRIVE_ZONE is "CET"/);
  });

  it("says that the database is away", async () => {
    let out = "";
    const env = { DATABASE_URL: "mysql://root@127.0.0.1:1/nowhere" };
    const code = await runCli(["status", "--json"], { env, stdout: (text) => (out += text), stderr: () => undefined });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { code: "DATABASE_UNAVAILABLE" } });
  });
});

describe("list", () => {
  it("C2, P2: pages over every task once, in one order, with every digit of its id", async () => {
    const due = new Date("2026-01-01T00:00:00.000Z");
    for (const id of [BELOW, BIG, ABOVE]) await insert({ id, eventType: "PAY", nextRetryTime: due });
    for (const status of ["failed", "succeeded", "pending"] as const) await insert({ eventType: "MAIL", status });
    await insert({ eventType: "PAY", status: "running" });
    const whole = (await json<ListDocument>("list")).document;
    expect(whole.nextCursor).toBeNull();
    expect(whole.tasks.map(({ eventType, status }) => `${eventType} ${status}`)).toEqual([
      "MAIL failed",
      "MAIL pending",
      "MAIL succeeded",
      "PAY running",
      ...Array.from({ length: 3 }, () => "PAY pending"),
    ]);
    expect(whole.tasks.slice(-3).map((task) => task.id)).toEqual([ABOVE, BIG, BELOW]);
    for (const limit of [1, 2, 3, 6]) {
      const ids: string[] = [];
      let cursor: string[] = [];
      for (let page = 0; page < 10; page++) {
        const { document } = await json<ListDocument>("list", "--limit", String(limit), ...cursor);
        ids.push(...document.tasks.map((task) => task.id));
        if (document.nextCursor === null) break;
        cursor = ["--cursor", document.nextCursor];
      }
      expect(ids).toEqual(whole.tasks.map((task) => task.id));
    }
  });

  it("filters by type and status together", async () => {
    await insert({ eventType: "PAY", status: "failed" });
    await insert({ eventType: "PAY" });
    await insert({ eventType: "pay", status: "failed" });
    const { document } = await json<ListDocument>("list", "--type", "PAY", "--status", "failed");
    expect(document.tasks).toMatchObject([{ eventType: "PAY", status: "failed" }]);
  });

  it("D4: finds exactly the key that was asked for", async () => {
    const id = await insert({ bizKey: "Order-1" });
    for (const bizKey of ["order-1", "Order-1 ", "Order-11"]) await insert({ bizKey });
    const { document } = await json<ListDocument>("list", "--key", "Order-1");
    expect(document.tasks.map((task) => task.id)).toEqual([id]);
  });

  it("refuses a cursor with another filter", async () => {
    await insert({ eventType: "PAY" });
    await insert({ eventType: "PAY" });
    const { document } = await json<ListDocument>("list", "--limit", "1");
    const answer = await redrive("list", "--type", "MAIL", "--cursor", document.nextCursor ?? "");
    expect(answer).toMatchObject({ code: 2, err: expect.stringContaining("another --type") });
  });

  it("X1: prints stored text without its control characters", async () => {
    await insert({ bizKey: "\u001b[31mred", lastError: "line 1\nline 2" });
    const { out } = await redrive("list");
    expect(out).toContain("\\u001b[31mred");
    expect(out).toContain("line 1\\nline 2");
  });
});

describe("show", () => {
  it("P2: shows one of three neighbours and its payload digit by digit", async () => {
    for (const id of [BELOW, BIG, ABOVE])
      await insert({ id, bizContext: `{"orderId":1970670598291982290,"of":"${id}"}` });
    const { out } = await redrive("show", BIG);
    expect(out).toMatch(new RegExp(`^id +${BIG}$`, "m"));
    expect(out).toContain(`{"orderId":1970670598291982290,"of":"${BIG}"}`);
    const { document } = await json<{ task: object; history: object[] }>("show", BIG);
    expect(document).toMatchObject({
      task: { id: BIG, bizContext: `{"orderId":1970670598291982290,"of":"${BIG}"}` },
      history: [],
    });
  });

  it("P4: shows a payload that is no JSON as it is stored", async () => {
    const id = await insert({ bizContext: '{"a":' });
    expect((await redrive("show", id)).out).toMatch(/^payload +\{"a":$/m);
  });
});

describe("reset", () => {
  it("P2, C4: resets exactly the failed task that is named, and says of each other what it is", async () => {
    for (const id of [BELOW, BIG, ABOVE]) await insert({ id, status: "failed", retryCount: 3 });
    const running = await insert({ status: "running" });
    const { code, out } = await redrive("reset", BIG, running, "77", BIG, "--reason", "fixed", "--actor", "ada");
    expect(code).toBe(1);
    expect(out.split("\n")).toEqual([
      `task ${BIG}: reset`,
      `task ${running}: not reset, it is running (only a failed task can be reset)`,
      "task 77: not found in the live table",
      "",
    ]);
    expect(await row(BIG)).toMatchObject({ status: "pending", retryCount: 0 });
    for (const id of [BELOW, ABOVE]) expect(await row(id)).toMatchObject({ status: "failed", retryCount: 3 });
    const { document } = await json<{ history: object[] }>("show", BIG);
    expect(document.history).toMatchObject([{ kind: "reset", actor: "ada", detail: "fixed" }]);
  });

  it("C4: two resets are one", async () => {
    const id = await insert({ status: "failed" });
    expect(await json("reset", id)).toMatchObject({ code: 0, document: { results: [{ id, outcome: "done" }] } });
    expect(await json("reset", id)).toMatchObject({
      code: 1,
      document: { results: [{ id, outcome: "not_failed", status: "pending" }] },
    });
  });
});

describe("cancel", () => {
  it("ends a pending task and leaves a running one alone", async () => {
    const pending = await insert();
    const running = await insert({ status: "running" });
    expect(await json("cancel", pending, running)).toMatchObject({ code: 1 });
    expect(await row(pending)).toMatchObject({ status: "cancelled" });
    expect(await row(running)).toMatchObject({ status: "running" });
  });
});

describe("explain", () => {
  const start = (owner: string, eventTypes: string[]) =>
    test.database.use((session) =>
      registerWorker(session, { owner, host: "h", ip: "::1", pid: 5, version: "1", deadAfterMs: 10_000, eventTypes }),
    );

  it("reads the facts of the database", async () => {
    const id = await insert({ id: BIG, eventType: "PAY" });
    expect((await redrive("explain", id)).out).toBe(`Task ${BIG} is due, but no worker is alive.\n`);
    await start("w1", ["MAIL"]);
    expect(await json("explain", id)).toMatchObject({
      document: { id: BIG, code: "no_worker", params: { livingWorkers: 1 } },
    });
    await start("w2", ["PAY"]);
    expect(await json("explain", id)).toMatchObject({
      code: 0,
      document: { code: "due", params: { withinMs: 10_000 } },
    });
    await test.database.use((session) =>
      session.change(sql`UPDATE t_retry_task SET status = 3, owner = 'w2', started_time = ${session.now}`),
    );
    expect(await json("explain", id)).toMatchObject({ document: { code: "running", params: { owner: "w2", pid: 5 } } });
    await test.database.use((session) =>
      session.change(sql`UPDATE t_retry_worker SET state = 'stopped' WHERE owner = 'w2'`),
    );
    expect(await json("explain", id)).toMatchObject({
      document: { code: "owner_dead", params: { hasRecycler: false } },
    });
  });

  it("answers with exit code 1 for a task that is neither live nor archived", async () => {
    expect(await json("explain", "77")).toMatchObject({ code: 1, document: { code: "not_live" } });
  });
});

describe("types and status", () => {
  const register = (name: string) =>
    test.database.use((session) => registerEventType(session, name, JSON.stringify({ concurrency: 7 })));

  it("pauses and resumes a type, says what it was, and refuses one that does not exist", async () => {
    await register("PAY");
    expect((await redrive("types", "pause", "PAY", "--reason", "INC-7")).out).toBe("PAY: paused\n");
    expect((await redrive("types", "pause", "PAY", "--reason", "INC-7")).out).toBe("PAY: was paused already\n");
    const { document } = await json<{ types: object[] }>("types");
    expect(document.types).toMatchObject([
      { eventType: "PAY", paused: true, pausedReason: "INC-7", settings: { concurrency: 7 } },
    ]);
    expect((await redrive("types", "resume", "PAY")).out).toBe("PAY: resumed\n");
    expect(await redrive("types", "pause", "PYA")).toMatchObject({
      code: 1,
      err: 'there is no event type "PYA"; did you mean PAY?\n',
    });
  });

  it("counts per type, registered or not, and workers", async () => {
    await register("PAY");
    await insert({ eventType: "PAY", dueInMs: -60_000 });
    await insert({ eventType: "MAIL", status: "failed" });
    const { document } = await json("status");
    expect(document).toMatchObject({
      types: [
        { eventType: "MAIL", pending: 0, failed: 1, oldestDueAgeMs: 0, paused: false },
        { eventType: "PAY", pending: 1, failed: 0, recycled24h: 0 },
      ],
      workers: { alive: 0, draining: 0, total: 0 },
    });
    expect((await redrive("status")).out).toMatch(/^PAY +1 +0 +0 +0 +1 m +no\nworkers: 0 alive of 0$/m);
  });
});

describe("doctor and migrate", () => {
  it("prints every check with its advice", async () => {
    const { document } = await json<{ status: string; checks: { id: string }[] }>("doctor");
    expect(document.checks.map((check) => check.id)).toContain("migrations");
    expect((await redrive("doctor")).out).toMatch(/^OK +migrations/m);
  });

  it("plans, migrates, and has nothing left to do", async () => {
    const empty = await createTestDatabase({ migrated: false });
    try {
      const run = async (...words: string[]) => {
        let out = "";
        const env = { DATABASE_URL: empty.url };
        const code = await runCli(words, { env, stdout: (text) => (out += text), stderr: () => undefined });
        return { code, out };
      };
      expect(JSON.parse((await run("status", "--json")).out)).toMatchObject({ error: { code: "SCHEMA_NOT_MIGRATED" } });
      expect((await run("doctor")).code).toBe(1);
      expect((await run("migrate", "--plan")).out).toMatch(/CREATE TABLE `t_retry_task`[^;]*;\n/);
      expect((await run("status")).code).toBe(1);
      expect((await run("migrate")).out).toMatch(/^applied migration 0/);
      expect((await run("migrate", "--plan")).out).toBe("-- the schema is up to date\n");
      expect(JSON.parse((await run("migrate", "--json")).out)).toEqual({ applied: [], notes: [] });
      expect((await run("status")).code).toBe(0);
    } finally {
      await empty.drop();
    }
  });
});
