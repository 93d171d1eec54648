import fc from "fast-check";
import { expect, it } from "vitest";
import { CallLog, Scenario } from "../testing/scenario.ts";
import { createEngine, type EnqueueTask, type EnqueueVerdict, RedriveError } from "./index.ts";

const scenario = new Scenario();
/** REDRIVE_FUZZ_RUNS and REDRIVE_FUZZ_SEED: more of it, or another. */
const numRuns = Number(process.env["REDRIVE_FUZZ_RUNS"] ?? 400);
const seed = Number(process.env["REDRIVE_FUZZ_SEED"] ?? 5);

const HOSTILE_TEXT = [
  ...["", " ", "'", '"', "\\", "\\'", "'; DROP TABLE t_retry_task; -- ", "%", "?", ":id", "\0", "\ud83d", "\u202e"],
  ...["😀", "x".repeat(128), "😀".repeat(128), "x".repeat(129), "__proto__", "constructor", "\r\n", "ÿ", "null"],
];
const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXT), fc.string({ unit: "binary", maxLength: 40 }));
const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true, maxDepth: 2 });
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.5, NaN, Infinity, 2 ** 31, 2 ** 53, 1e15, 315_360_000_001),
  fc.double(),
);
const hostile = fc.oneof(
  text,
  number,
  anything,
  fc.constantFrom(Symbol("s"), () => 1, null, undefined, 1n),
);
const mostly = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 20, arbitrary: value }, { weight: 1, arbitrary: hostile });
const seldom = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: mostly(value) });

/** Some of it fits, most of it does not. */
const task = fc.oneof(
  { weight: 1, arbitrary: anything },
  {
    weight: 20,
    arbitrary: fc.record(
      {
        eventType: mostly(fc.constant("FUZZ")),
        bizKey: mostly(text),
        bizContext: seldom(fc.oneof(fc.jsonValue(), anything)),
        bizContextText: seldom(fc.json()),
        delayMs: seldom(fc.oneof(fc.nat(), number)),
        runAt: seldom(fc.date({ min: new Date("2026-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })),
        maxRetryCount: seldom(fc.integer({ min: 1, max: 1_000_000 })),
        retryStrategy: seldom(fc.constantFrom("FIXED", "EXPONENTIAL", "fixed")),
        firstIntervalSeconds: seldom(fc.integer({ min: 1, max: 86_400 })),
        traceParent: seldom(text),
        parentId: seldom(fc.constantFrom("1", "0", "9223372036854775807", "9223372036854775808")),
        onDuplicate: seldom(fc.constantFrom("return", "throw")),
      },
      { requiredKeys: ["eventType", "bizKey"] },
    ),
  },
);

interface StoredTask {
  readonly id: string;
  readonly eventType: Buffer;
  readonly bizKey: Buffer;
  readonly bizContext: string;
}

it("enqueue takes what fits as it is and refuses the rest with an error of its own, nothing written, transaction unharmed", async () => {
  await scenario.rows("CREATE TABLE business (id BIGINT AUTO_INCREMENT PRIMARY KEY)");
  const log = new CallLog();
  // Never started: it creates and runs nothing.
  const engine = createEngine({
    database: scenario.database.pool,
    handlers: [log.handler({ eventType: "FUZZ" })],
    payloadBytesMax: 2_000,
    zone: scenario.database.zone.name,
  });
  const seen = { taken: 0, refused: 0 };
  const property = fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 3 }), async (tasks) => {
    await scenario.rows("DELETE FROM t_retry_task");
    await scenario.rows("DELETE FROM business");
    let verdicts: EnqueueVerdict[] | undefined;
    await engine.transaction(async (tx) => {
      await tx.query("INSERT INTO business () VALUES ()");
      try {
        verdicts = await engine.enqueueMany(tx, tasks as EnqueueTask[]);
      } catch (error) {
        // The type first: its message then says what came instead.
        if (!(error instanceof RedriveError)) throw error;
        expect(error.message.length).toBeLessThan(2_000);
      }
    });
    const [business] = await scenario.rows<{ n: number }>("SELECT COUNT(*) AS n FROM business");
    expect(Number(business?.n)).toBe(1);
    const rows = await scenario.rows<StoredTask>(
      "SELECT CAST(id AS CHAR) AS id, event_type AS eventType, biz_key AS bizKey, biz_context AS bizContext FROM t_retry_task",
    );
    if (!verdicts) {
      seen.refused++;
      // A duplicate that is to be an error is met only once the others are there; the caller's transaction decides.
      const mayBeThere = tasks.some((one) => (one as { onDuplicate?: unknown } | null)?.onDuplicate === "throw");
      if (!mayBeThere) expect(rows).toEqual([]);
      return;
    }
    seen.taken++;
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const [index, verdict] of verdicts.entries()) {
      const given = tasks[index] as EnqueueTask;
      const row = stored.get(verdict.id);
      expect(String(row?.eventType)).toBe(given.eventType);
      expect(Buffer.from(row?.bizKey ?? "").toString("utf8")).toBe(given.bizKey);
      if (!verdict.inserted) continue;
      expect(row?.bizContext).toBe(given.bizContextText ?? JSON.stringify(given.bizContext ?? null));
    }
    expect(rows).toHaveLength(new Set(verdicts.map(({ id }) => id)).size);
  });
  await fc.assert(property, { numRuns, seed });
  expect(seen.taken).toBeGreaterThan(numRuns / 20);
  expect(seen.refused).toBeGreaterThan(numRuns / 4);
  expect(log.calls).toEqual([]);
  await engine.stop();
}, 300_000);
