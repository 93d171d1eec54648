import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { insertTaskRow, readTaskRow } from "../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../db/testing/test-database.ts";
import { waitFor } from "./testing/wait-for.ts";
import { WorkerProcess } from "./testing/worker-process.ts";

/**
 * Leaves a file with the task's id beside this module, and runs until the file that its biz key names exists. For the
 * key `stray` a promise is rejected that nobody awaits, for the key `thrown` an error is thrown where nobody can catch it.
 */
const HANDLERS = `
import { existsSync, writeFileSync } from "node:fs";
export default [{ eventType: "GATED", settings: { pollIntervalMs: 100 }, async handle(task, ctx) {
  writeFileSync(new URL("begun-" + task.id, import.meta.url), "");
  if (task.bizKey === "stray") { Promise.reject(new Error("nobody awaits this")); return; }
  if (task.bizKey === "thrown") { setImmediate(() => { throw new Error("nobody can catch this"); }); return; }
  while (!existsSync(task.bizKey)) {
    ctx.signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
} }];`;

let test: TestDatabase;
let folder: string;
let handlers: string;
const started: WorkerProcess[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "redrive-worker-"));
  handlers = join(folder, "handlers.mjs");
  await writeFile(handlers, HANDLERS);
  await writeFile(join(folder, "throws.mjs"), 'throw new Error("the vault is sealed");');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await test.drop();
});
afterEach(async () => {
  for (const worker of started.splice(0)) {
    worker.signal("SIGKILL");
    await worker.exited();
  }
  await test.database.use((session) => session.run("DELETE FROM t_retry_task"));
});

function startWorker(env: Record<string, string> = {}): WorkerProcess {
  const worker = new WorkerProcess({
    DATABASE_URL: test.url,
    REDRIVE_HANDLERS: handlers,
    REDRIVE_ZONE: test.zone.name,
    ...env,
  });
  started.push(worker);
  return worker;
}

const insert = (bizKey: string) =>
  test.database.use((session) => insertTaskRow(session, { eventType: "GATED", bizKey }));
const row = (id: string) => test.database.use((session) => readTaskRow(session, id));
/** The row says so earlier: a worker that is told to stop before its handler has begun gives the task back. */
const untilRunning = (id: string) => waitFor(`task ${id} to run`, () => existsSync(join(folder, `begun-${id}`)));

describe("a worker that cannot start", () => {
  it("exits with 1 and tells every problem of its environment", async () => {
    const worker = startWorker({ DATABASE_URL: "", REDRIVE_HANDLERS: "", WORKER_PORT: "x", LOG_LEVEL: "loud" });
    expect(await worker.exited()).toBe(1);
    expect(worker.plain).toMatch(
      /DATABASE_URL is not set.*\nREDRIVE_HANDLERS is not set.*\nWORKER_PORT .*\nLOG_LEVEL /,
    );
  });

  it("exits with 1 and shows the whole error of its handlers module", async () => {
    const worker = startWorker({ REDRIVE_HANDLERS: join(folder, "throws.mjs") });
    expect(await worker.exited()).toBe(1);
    expect(worker.lines.at(-1)).toMatchObject({ level: "fatal", msg: expect.stringContaining("the vault is sealed") });
    expect(JSON.stringify(worker.lines.at(-1))).toContain("throws.mjs:1");
  });

  it("exits with 1 when its port is taken, and says how to choose another", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    const worker = startWorker({ WORKER_PORT: String(port) });
    expect(await worker.exited()).toBe(1);
    expect(worker.lines.at(-1)?.msg).toContain(`port ${port} on 127.0.0.1 is taken`);
    await new Promise((resolve) => taken.close(resolve));
  });

  it("exits with 1 for a database that does not exist", async () => {
    const worker = startWorker({ DATABASE_URL: `${test.url}_missing` });
    expect(await worker.exited()).toBe(1);
    expect(worker.lines.at(-1)).toMatchObject({ level: "fatal", msg: expect.stringMatching(/cannot start.*_missing/) });
  });
});

describe("a running worker", () => {
  it("S1, S2: drains on SIGTERM: not ready, its running task ends, a new one is left alone, exit code 0", async () => {
    const worker = startWorker();
    await worker.answers("/readyz", 200);
    const gate = join(folder, "gate-drain");
    const id = await insert(gate);
    await untilRunning(id);
    worker.signal("SIGTERM");
    await worker.answers("/readyz", 503);
    expect((await fetch(await worker.url("/healthz"))).status).toBe(200);
    const later = await insert("later");
    await writeFile(gate, "");
    expect(await worker.exited()).toBe(0);
    expect(await row(id)).toMatchObject({ status: "succeeded", retryCount: 0 });
    expect(await row(later)).toMatchObject({ status: "pending", owner: null, retryCount: 0 });
    expect(worker.lines.at(-1)).toMatchObject({ msg: "worker stopped", finished: 1, aborted: 0 });
  });

  it("gives a task back that outlasts the grace time, and costs it no attempt", async () => {
    const worker = startWorker({ REDRIVE_GRACE_MS: "100" });
    const id = await insert(join(folder, "never"));
    await untilRunning(id);
    worker.signal("SIGINT");
    expect(await worker.exited()).toBe(0);
    expect(await row(id)).toMatchObject({ status: "pending", retryCount: 0, owner: null });
  });

  it("ends at once with 1 when it is told to stop again, but not for the echo of one Ctrl-C", async () => {
    const worker = startWorker();
    const id = await insert(join(folder, "never"));
    await untilRunning(id);
    const beginMs = performance.now();
    worker.signal("SIGINT");
    worker.signal("SIGTERM");
    await waitFor("the end", () => {
      if (worker.exit === undefined) worker.signal("SIGTERM");
      return worker.exit !== undefined;
    });
    expect(worker.exit).toBe(1);
    expect(performance.now() - beginMs).toBeGreaterThan(500);
  });

  it("E10: lives on when a handler's promise is rejected and nobody awaits it", async () => {
    const worker = startWorker();
    const id = await insert("stray");
    const line = await worker.line("a promise was rejected and nobody awaited it; the worker goes on");
    expect(line).toMatchObject({ level: "error", err: { message: "nobody awaits this" } });
    await waitFor("its success", async () => (await row(id))?.status === "succeeded");
    await worker.answers("/readyz", 200);
  });

  it("stops in order and exits with 1 after an error that nobody could catch", async () => {
    const worker = startWorker();
    const gate = join(folder, "gate-thrown");
    const other = await insert(gate);
    await untilRunning(other);
    await insert("thrown");
    await worker.line("worker stops");
    await writeFile(gate, "");
    expect(await worker.exited()).toBe(1);
    expect(await row(other)).toMatchObject({ status: "succeeded" });
  });

  it("wakes a pending task, and shows it in the metrics", async () => {
    const token = "0123456789abcdef";
    const worker = startWorker({ REDRIVE_WAKE_TOKEN: token, REDRIVE_POLL: "false" });
    await worker.answers("/readyz", 200);
    const gate = join(folder, "gate-wake");
    await writeFile(gate, "");
    const id = await insert(gate);
    const response = await fetch(await worker.url("/v1/wake"), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ids: [id] }),
    });
    expect(await response.json()).toEqual({ claimed: 1 });
    await waitFor("its success", async () => (await row(id))?.status === "succeeded");
    const metrics = await waitFor("its success in the metrics", async () => {
      const text = await (await fetch(await worker.url("/metrics"))).text();
      return text.includes('redrive_tasks_succeeded_total{event_type="GATED"} 1') && text;
    });
    expect(metrics).toContain("redrive_liveness_age_seconds 0.");
    expect(metrics).toContain("redrive_history_tasks_exported_total 0");
  });
});

describe("the archiver of a worker", () => {
  it("moves finished tasks while the worker runs, unless the environment switches it off", async () => {
    const ended = new Date(Date.now() - 9 * 86_400_000);
    const archived = async () =>
      (await test.database.use((session) => session.rows(sql`SELECT id FROM t_retry_task_archive`))).length;
    await test.database.use((session) =>
      insertTaskRow(session, { eventType: "GATED", status: "succeeded", nextRetryTime: ended, finishedTime: ended }),
    );
    const idle = startWorker({ REDRIVE_ARCHIVE: "false" });
    await idle.line("worker started");
    idle.signal("SIGTERM");
    expect(await idle.exited()).toBe(0);
    expect(await archived()).toBe(0);

    // Workers of earlier tests were killed with the duty in their hands.
    await test.database.use((session) => session.run("DELETE FROM t_retry_lease"));
    const worker = startWorker({ REDRIVE_ARCHIVE_ROWS_PER_SECOND: "0" });
    await waitFor("the task to be archived", async () => (await archived()) === 1);
    expect(await worker.line("tasks archived")).toMatchObject({ tasks: 1, byType: { GATED: 1 } });
    worker.signal("SIGTERM");
    expect(await worker.exited()).toBe(0);
  });

  it("is taken over within 30 s when its process is killed", { timeout: 60_000 }, async () => {
    const startedAt = async (owner: string) =>
      (
        await test.database.use((session) =>
          session.rows(sql`SELECT name FROM t_retry_lease WHERE name = 'archiver' AND owner = ${owner}`),
        )
      ).length === 1;
    const ownerOf = async (worker: WorkerProcess) => String((await worker.line("worker started"))["owner"]);
    const first = startWorker();
    const firstOwner = await ownerOf(first);
    await waitFor("the first to hold the duty", () => startedAt(firstOwner));
    const second = startWorker();
    const secondOwner = await ownerOf(second);
    first.signal("SIGKILL");
    await waitFor("the second to hold the duty", () => startedAt(secondOwner), 30_000);
  });
});

describe("D3: a worker whose database is away when it starts", () => {
  /** A port where nothing listens until `open`. */
  async function reservePort(): Promise<{ port: number; open: () => Promise<Server> }> {
    const reservation = createServer();
    await new Promise<void>((resolve) => reservation.listen(0, "127.0.0.1", resolve));
    const { port } = reservation.address() as AddressInfo;
    await new Promise((resolve) => reservation.close(resolve));
    const open = async () => {
      const relay = createServer((socket) => {
        const upstream = connect(test.connection.port ?? 3306, test.connection.host ?? "127.0.0.1");
        socket.pipe(upstream).pipe(socket);
        socket.on("error", () => upstream.destroy());
        upstream.on("error", () => socket.destroy());
      });
      await new Promise<void>((resolve) => relay.listen(port, "127.0.0.1", resolve));
      return relay;
    };
    return { port, open };
  }

  function urlAt(port: number): string {
    const url = new URL(test.url);
    url.port = String(port);
    return url.toString();
  }

  it("stays up, says so, and works as soon as the database is there", async () => {
    const { port, open } = await reservePort();
    const worker = startWorker({ DATABASE_URL: urlAt(port) });
    await worker.answers("/healthz", 200);
    await worker.answers("/readyz", 503);
    expect(await (await fetch(await worker.url("/readyz"))).json()).toMatchObject({
      checks: {
        database: { ok: false, detail: "not reachable (ECONNREFUSED)" },
        engine: { detail: "not started yet" },
      },
    });
    const relay = await open();
    await worker.answers("/readyz", 200);
    worker.signal("SIGTERM");
    expect(await worker.exited()).toBe(0);
    relay.close();
  });

  it("exits with 0 when it is stopped before that", async () => {
    const { port } = await reservePort();
    const worker = startWorker({ DATABASE_URL: urlAt(port) });
    await worker.line("not started yet; trying again until it works");
    worker.signal("SIGTERM");
    expect(await worker.exited()).toBe(0);
  });
});
