import type { PoolConnection } from "mysql2/promise";
import { beforeAll, describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { createEngine } from "../index.ts";

const scenario = new Scenario();
beforeAll(() => scenario.database.pool.query("CREATE TABLE business (id varchar(64) PRIMARY KEY) ENGINE=InnoDB"));

const LIMIT_BYTES = 100_000;
const STRICT = "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION";
const quoted = (text: string): string => JSON.stringify(text);
/** JSON text of exactly so many bytes. */
const ascii = (bytes: number): string => quoted("x".repeat(bytes - 2));

const FITTING: Readonly<Record<string, string>> = {
  "65,535 bytes": ascii(65_535),
  "65,536 bytes": ascii(65_536),
  "65,537 bytes": ascii(65_537),
  "30,000 Chinese characters": quoted("付".repeat(30_000)),
  "exactly the limit": ascii(LIMIT_BYTES),
  "quotes and backslashes": quoted(`'"\\`.repeat(15_000)),
  "emoji up to the limit": quoted("😀".repeat(24_999)),
};
const TOO_LARGE: Readonly<Record<string, readonly [text: string, bytes: number]>> = {
  "one byte above the limit": [ascii(LIMIT_BYTES + 1), LIMIT_BYTES + 1],
  "few characters, too many bytes": [quoted("付".repeat(33_333)), 100_001],
  "sixteen megabytes": [ascii(16_000_000), 16_000_000],
};

describe.each([
  ["strict", STRICT],
  ["not strict", ""],
])("P1: a payload larger than its column, sql_mode %s", (name, sqlMode) => {
  const withMode = async <Result>(tx: PoolConnection, work: () => Promise<Result>): Promise<Result> => {
    await tx.query("SET SESSION sql_mode = ?", [sqlMode]);
    try {
      return await work();
    } finally {
      await tx.query("SET SESSION sql_mode = DEFAULT");
    }
  };

  it("what fits arrives in the handler byte for byte, on the eager and on the polled path", async () => {
    for (const eager of [true, false]) {
      const log = new CallLog();
      const eventType = `FITS ${name} ${eager}`;
      const started = await scenario.start([log.handler({ eventType, pollIntervalMs: 50 })], {
        eager,
        payloadBytesMax: LIMIT_BYTES,
      });
      for (const [bizKey, bizContextText] of Object.entries(FITTING)) {
        const { id } = await started.engine.transaction((tx) =>
          withMode(tx, () => started.engine.enqueue(tx, { eventType, bizKey, bizContextText })),
        );
        const row = await started.rowWhere(id, `(${bizKey}) succeeds`, ({ status }) => status === "succeeded");
        expect(row.bizContext === bizContextText).toBe(true);
        const call = log.calls.find((one) => one.bizKey === bizKey);
        expect(call?.bizContextText === bizContextText).toBe(true);
        expect(call?.bizContext === JSON.parse(bizContextText)).toBe(true);
      }
      expect(started.of("started").every(({ isEager }) => isEager === eager)).toBe(true);
      await scenario.stopEngines();
    }
  });

  it.each(Object.keys(TOO_LARGE))(
    "%s: refused with limit and size, nothing stored, the transaction goes on",
    async (bizKey) => {
      const [bizContextText = "", bytes] = TOO_LARGE[bizKey] ?? [];
      const eventType = `LARGE ${name}`;
      const started = await scenario.start([new CallLog().handler({ eventType })], { payloadBytesMax: LIMIT_BYTES });
      const { engine } = started;
      const id = await engine.transaction((tx) =>
        withMode(tx, async () => {
          await tx.query("INSERT INTO business VALUES (?)", [`${name}, ${bizKey}`]);
          for (const refused of [
            engine.enqueue(tx, { eventType, bizKey, bizContextText }),
            engine.enqueue(tx, { eventType, bizKey, bizContext: JSON.parse(bizContextText) as unknown }),
            engine.enqueueMany(tx, [
              { eventType, bizKey: "beside" },
              { eventType, bizKey, bizContextText },
            ]),
          ]) {
            await expect(refused).rejects.toMatchObject({
              code: "PAYLOAD_TOO_LARGE",
              message: expect.stringMatching(new RegExp(`${bytes} bytes.*limit is ${LIMIT_BYTES}`)) as string,
            });
          }
          return (await engine.enqueue(tx, { eventType, bizKey: `after ${bizKey}` })).id;
        }),
      );
      await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded");
      const keys = await scenario.rows<{ biz_key: string }>("SELECT biz_key FROM t_retry_task WHERE event_type = ?", [
        eventType,
      ]);
      expect(keys.map(({ biz_key }) => biz_key)).not.toContain(bizKey);
      expect(keys.map(({ biz_key }) => biz_key)).not.toContain("beside");
      expect(await scenario.rows("SELECT id FROM business WHERE id = ?", [`${name}, ${bizKey}`])).toHaveLength(1);
    },
  );

  it("a key that does not fit is refused too, and never shortened", async () => {
    const eventType = `KEY ${name}`;
    const started = await scenario.start([new CallLog().handler({ eventType })]);
    const longest = "😀".repeat(128);
    const { id } = await started.engine.transaction((tx) =>
      withMode(tx, async () => {
        await expect(started.engine.enqueue(tx, { eventType, bizKey: `${longest}x` })).rejects.toMatchObject({
          code: "INVALID_BIZ_KEY",
        });
        return started.engine.enqueue(tx, { eventType, bizKey: longest });
      }),
    );
    expect((await scenario.row(id))?.bizKey).toBe(longest);
    const [count] = await scenario.rows<{ amount: number }>(
      "SELECT COUNT(*) AS amount FROM t_retry_task WHERE event_type = ?",
      [eventType],
    );
    expect(Number(count?.amount)).toBe(1);
  });
});

describe("P1: max_allowed_packet", () => {
  const packetBytes = async (): Promise<number> => {
    const [row] = await scenario.rows<{ bytes: number }>("SELECT @@max_allowed_packet AS bytes");
    return Number(row?.bytes);
  };

  it("a payload limit that the server's packets cannot carry is refused at start, with both numbers; one that fits starts", async () => {
    const server = await packetBytes();
    const largest = 16_777_215;
    const handler = new CallLog().handler({ eventType: "PACKET" });
    if (server < 2 * largest) {
      await expect(scenario.start([handler], { payloadBytesMax: largest })).rejects.toMatchObject({
        code: "DATABASE_UNUSABLE",
        message: expect.stringMatching(new RegExp(`max_allowed_packet is ${server}.*${largest}`)) as string,
      });
    } else await scenario.start([handler], { payloadBytesMax: largest });
    await scenario.start([handler], { payloadBytesMax: Math.min(largest, Math.floor((server - 1_048_576) / 2)) });
  });

  it("the largest payload that may be set arrives whole, though quoting doubles it, alone and in a list", async () => {
    const payloadBytesMax = Math.min(7_000_000, Math.floor(((await packetBytes()) - 1_048_576) / 2));
    const log = new CallLog();
    const started = await scenario.start([log.handler({ eventType: "HUGE", pollIntervalMs: 50, concurrency: 1 })], {
      payloadBytesMax,
    });
    // JSON text that is nothing but characters which SQL has to escape.
    const text = `"${'\\"'.repeat((payloadBytesMax - 2) / 2)}"`;
    const verdicts = await started.engine.transaction((tx) =>
      started.engine.enqueueMany(
        tx,
        ["a", "b", "c"].map((bizKey) => ({ eventType: "HUGE", bizKey, bizContextText: text })),
      ),
    );
    for (const { id } of verdicts)
      await started.rowWhere(id, "succeeds", ({ status }) => status === "succeeded", 60_000);
    expect(log.calls.map((call) => call.bizContextText === text)).toEqual([true, true, true]);
  });

  it("past it, in an engine that was never started: an error, nothing stored, the pool is not poisoned", async () => {
    const bytes = (await packetBytes()) + 1;
    // A server whose packets are larger than the largest payload takes it.
    const handler = new CallLog().handler({ eventType: "PAST" });
    const { pool, zone } = scenario.database;
    const engine = createEngine({ database: pool, zone: zone.name, handlers: [handler], payloadBytesMax: 16_777_215 });
    const text = ascii(Math.min(bytes, 16_777_215));
    const outcome = await engine
      .transaction(async (tx) => {
        await tx.query("INSERT INTO business VALUES ('past the packet')");
        return engine.enqueue(tx, { eventType: "PAST", bizKey: "k", bizContextText: text });
      })
      .catch((error: unknown) => error);
    const rows = await scenario.rows<{ bytes: number }>(
      "SELECT OCTET_LENGTH(biz_context) AS bytes FROM t_retry_task WHERE event_type = 'PAST'",
    );
    if (bytes <= 2 ** 25) {
      expect(outcome).toMatchObject({ code: expect.stringMatching(/PACKET|ECONNRESET|EPIPE|LOST/) as string });
      expect(rows).toEqual([]);
      expect(await scenario.rows("SELECT id FROM business WHERE id = 'past the packet'")).toEqual([]);
    } else expect(rows.map((row) => Number(row.bytes))).toEqual([Buffer.byteLength(text)]);
    for (let index = 0; index < 10; index++) {
      await engine.transaction((tx) => engine.enqueue(tx, { eventType: "PAST", bizKey: `after ${index}` }));
    }
    await engine.stop();
  });
});
