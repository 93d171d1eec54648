import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureArchivePartitions } from "../../db/archive-partitions.ts";
import { registerEventType } from "../../db/queries/event-types.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedAttempt, insertArchivedTask } from "../testing/archive-rows.ts";
import { exportAll, purgeAll, ScratchFolder } from "../testing/history-run.ts";
import { runCli } from "./run-cli.ts";

/** REDRIVE_FUZZ_RUNS and REDRIVE_FUZZ_SEED: more of it, or another. */
const numRuns = Number(process.env["REDRIVE_FUZZ_RUNS"] ?? 30);
const seed = Number(process.env["REDRIVE_FUZZ_SEED"] ?? 17);

const DAY = "2026-11-01";
const ID = "9007199254740993";
const TABLES = ["t_retry_task_restored", "t_retry_attempt_restored"] as const;

let test: TestDatabase;
let folder: ScratchFolder;
/** Every file of the target as it was exported. */
const whole = new Map<string, Buffer>();
/** What the archive held, by the table that it comes back to. */
const archived = new Map<string, unknown[]>();

const place = (path: string) => join(folder.path, path);
const rowsOf = (table: string, order = "id") =>
  test.database.use((session) => session.rows(sql`SELECT * FROM ${sql.raw(table)} ORDER BY ${sql.raw(order)}`));

beforeAll(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
  await test.database.use(async (session) => {
    await ensureArchivePartitions(session, new Date(`${DAY}T00:00:00Z`), 40);
    for (const eventType of ["PAY", "a/b 订单"]) {
      await registerEventType(session, eventType, JSON.stringify({ archiveKeptSeconds: 0 }));
      for (let n = 0; n < 7; n++) {
        const id = String(BigInt(ID) + BigInt(n * 2 + (eventType === "PAY" ? 0 : 1)));
        const archivedAt = new Date(`${DAY}T10:00:00.00${n}Z`);
        await insertArchivedTask(session, {
          id,
          eventType,
          archivedAt,
          bizContext: `{"n":"${"é😀x".repeat(n * 20)}"}`,
        });
        await insertArchivedAttempt(session, { id, taskId: id, eventType, archivedAt, error: "boom ".repeat(n * 9) });
      }
    }
  });
  archived.set(TABLES[0], await rowsOf("t_retry_task_archive"));
  archived.set(TABLES[1], await rowsOf("t_retry_attempt_archive"));
  await exportAll(test, folder.target);
  await purgeAll(test, folder.target);
  for (const source of ["tasks", "attempts"])
    for (const path of await folder.target.listFiles(source)) whole.set(path, readFileSync(place(path)));
  expect(await rowsOf("t_retry_task_archive")).toEqual([]);
});
afterAll(async () => {
  folder.remove();
  await test.drop();
});
beforeEach(() => mend());

function mend(): void {
  for (const [path, bytes] of whole) {
    rmSync(place(path), { recursive: true, force: true });
    writeFileSync(place(path), bytes);
  }
}

async function redrive(...words: string[]) {
  const written = { out: "", err: "" };
  const code = await runCli(words, {
    env: { DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name, REDRIVE_EXPORT_TARGET: folder.path },
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
  });
  return { code, ...written };
}

async function tableNames(): Promise<string[]> {
  const rows = await test.database.use((session) =>
    session.rows<{ name: string }>(
      sql`SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()`,
    ),
  );
  return rows.map(({ name }) => name).sort();
}

type Damage = (bytes: Buffer, place: string) => Buffer | undefined;
const flipped =
  (spot: number, bit: number): Damage =>
  (bytes) => {
    const index = spot % bytes.length;
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ (1 << bit);
    return changed;
  };
const damages: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.nat(), fc.nat({ max: 7 })).map(([spot, bit]) => flipped(spot, bit)) },
  {
    weight: 2,
    arbitrary: fc.nat().map(
      (spot): Damage =>
        (bytes) =>
          bytes.subarray(0, spot % bytes.length),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Damage>((bytes) => Buffer.concat([bytes, Buffer.from("x")])) },
  // The file of another day, type or program under this name.
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Damage =>
        (bytes) =>
          [...whole.values()].filter((one) => !one.equals(bytes))[pick % (whole.size - 1)],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 60 }).map(
      (some): Damage =>
        () =>
          Buffer.from(some),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Damage>((_, path) => void rmSync(path)) },
  { weight: 1, arbitrary: fc.constant<Damage>((_, path) => (rmSync(path), void mkdirSync(path))) },
);
const cases = fc.tuple(
  fc.nat().map((pick) => () => [...whole.keys()][pick % whole.size] ?? ""),
  damages,
);

function inflict(path: string, damage: Damage): void {
  const bytes = damage(whole.get(path) ?? Buffer.alloc(0), place(path));
  if (bytes) writeFileSync(place(path), bytes);
}

describe("a damaged export", () => {
  it("is refused by restore, by the file's name and with nothing written, or gives back exactly what was archived", async () => {
    const before = await tableNames();
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(cases, fc.boolean(), async ([pick, damage], isOwnTable) => {
        const path = pick();
        inflict(path, damage);
        const { code, out, err } = await redrive("restore", "--day", DAY, ...(isOwnTable ? ["--into", "audit"] : []));
        if (code === 0) {
          for (const [index, table] of (isOwnTable ? ["audit", "audit_attempt"] : TABLES).entries()) {
            expect(await rowsOf(table)).toEqual(archived.get(TABLES[index] ?? ""));
            await test.database.use((session) =>
              session.run(isOwnTable ? `DROP TABLE ${table}` : `DELETE FROM ${table}`),
            );
          }
        } else {
          refusals++;
          expect(code).toBe(1);
          expect(out).toBe("");
          const [, source = ""] = /^(tasks|attempts)\//.exec(path) ?? [];
          expect(err.includes(path) || err.includes(`no finished export of ${source} of ${DAY}`), err).toBe(true);
          expect(err).not.toMatch(/something went wrong|^\s+at /m);
          for (const table of TABLES) expect(await rowsOf(table)).toEqual([]);
        }
        expect(await tableNames()).toEqual(before);
        mend();
      }),
      { numRuns, seed },
    );
    expect(refusals).toBeGreaterThan(numRuns / 2);
  });

  it("is refused by restore of one task where its rows may lie", async () => {
    const [path = ""] = [...whole.keys()].filter((one) => one.includes("event_type=PAY/"));
    const inPayload = whole.get(path)?.indexOf("é😀x") ?? 0;
    for (const damage of [flipped(inPayload, 3), flipped(10, 0), (bytes: Buffer) => bytes.subarray(0, 40)]) {
      inflict(path, damage);
      for (const words of [[ID], [ID, "--dry-run"], [ID, "--into", "audit"]]) {
        expect(await redrive("restore", ...words)).toMatchObject({
          code: 1,
          out: "",
          err: expect.stringMatching(
            /^nothing was restored: file:.*event_type=PAY\/part-.* is not as tasks\/dt=2026-11-01\/_manifest-2026-11-01\.json says: it/,
          ),
        });
      }
      mend();
    }
    expect(await tableNames()).not.toContain("audit");
    expect(await redrive("restore", ID)).toMatchObject({ code: 0, out: expect.stringContaining("1 new in") });
    for (const table of TABLES) await test.database.use((session) => session.run(`DELETE FROM ${table}`));
  });

  it("is told by verification, by the file's name, and is never written over once rows were purged", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ([pick, damage]) => {
        const path = pick();
        inflict(path, damage);
        const before = (await folder.target.listFiles("tasks")).concat(await folder.target.listFiles("attempts"));
        const { outcomes } = await exportAll(test, folder.target, { verifyAll: true });
        const failed = outcomes.filter(({ what }) => what === "failed");
        expect(failed.length).toBe(1);
        expect(failed[0]?.source).toBe(path.split("/")[0]);
        expect(failed[0]?.problem).toContain(path);
        expect((await folder.target.listFiles("tasks")).concat(await folder.target.listFiles("attempts"))).toEqual(
          before,
        );
        mend();
        expect((await exportAll(test, folder.target, { verifyAll: true })).outcomes.map(({ what }) => what)).toEqual([
          "verified",
          "verified",
        ]);
      }),
      { numRuns: Math.ceil(numRuns / 2), seed },
    );
  });

  it("is not asked for a task where there is no export at all", async () => {
    const { code, err } = await redrive("restore", ID, "--from", join(folder.path, "nowhere"));
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^file:.*\/nowhere holds no exported day\n$/),
    });
  });
});
