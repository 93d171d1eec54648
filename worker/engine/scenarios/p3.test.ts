import { describe, expect, it } from "vitest";
import { CallLog, Scenario } from "../../testing/scenario.ts";
import { NonRetryableError } from "../index.ts";

const scenario = new Scenario();
const LIMIT_BYTES = 8_192;
const MARK = " … [cut]";

const badlyDecoded = Buffer.from([0x8f, 0xff, 0xfe, 0xc3, 0x28, 0xa0]).toString("latin1");
const MESSAGES: Readonly<Record<string, string>> = {
  "a megabyte": "x".repeat(1_048_576),
  "a megabyte of emoji": "😀".repeat(262_144),
  // The head "Error: " and the emoji shift the cut through each of the four bytes.
  "emoji at the cut, 0": "😀".repeat(4_000),
  "emoji at the cut, 1": `a${"😀".repeat(4_000)}`,
  "emoji at the cut, 2": `ab${"😀".repeat(4_000)}`,
  "emoji at the cut, 3": `abc${"😀".repeat(4_000)}`,
  "Chinese text": "支付失败:余额不足。".repeat(2_000),
  "short Chinese text": "支付失败:余额不足 😀",
  "badly decoded bytes": badlyDecoded.repeat(50),
  "replacement characters": Buffer.from([0xff, 0xfe, 0x80]).toString("utf8").repeat(5_000),
  "half surrogates": `x\ud83d${"\udc00".repeat(5_000)}`,
  "NUL and control characters": "a\0b\u0001\u001b[31m\r\n".repeat(2_000),
  quotes: `'"\\\`;--${"'".repeat(10_000)}`,
};

describe("P3: an error text that does not fit", () => {
  it("each failure is recorded and counted, the second is final; the text is cut between characters and marked", async () => {
    const started = await scenario.start([
      new CallLog().handler({ eventType: "FAILS", concurrency: 4, pollIntervalMs: 50 }, (task) => {
        throw new Error(MESSAGES[task.bizKey]);
      }),
    ]);
    const names = Object.keys(MESSAGES);
    const ids: string[] = [];
    for (const bizKey of names) {
      ids.push((await started.enqueue({ eventType: "FAILS", bizKey, maxRetryCount: 2, firstIntervalSeconds: 1 })).id);
    }
    for (const [index, id] of ids.entries()) {
      const name = names[index] ?? "";
      const row = await started.rowWhere(id, `fails for good (${name})`, ({ status }) => status === "failed", 60_000);
      expect(row).toMatchObject({ retryCount: 2, finishReason: "exhausted", owner: started.engine.owner });
      const text = row.lastError ?? "";
      const expected = `Error: ${MESSAGES[name]}`.toWellFormed();
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT_BYTES);
      expect(text).not.toContain("?".repeat(3));
      if (Buffer.byteLength(expected) > LIMIT_BYTES) {
        expect(text.endsWith(MARK)).toBe(true);
        expect(Buffer.byteLength(text)).toBeGreaterThan(LIMIT_BYTES - 8);
        expect(expected.startsWith(text.slice(0, -MARK.length))).toBe(true);
      } else expect(text.startsWith(expected)).toBe(true);
      expect((await scenario.history(id)).map(({ kind, retry_count }) => [kind, retry_count])).toEqual([
        ["retried", 1],
        ["failed", 2],
      ]);
      const [last] = await scenario.rows<{ error: string }>(
        "SELECT error FROM t_retry_attempt WHERE task_id = ? ORDER BY id DESC LIMIT 1",
        [BigInt(id)],
      );
      expect(last?.error).toBe(text);
    }
    expect(await scenario.statuses("FAILS")).toEqual({ failed: names.length });
    expect(started.of("loopError")).toEqual([]);
  });

  it.each([256, 60_000])("with a limit of %i bytes the same holds", async (errorBytesMax) => {
    const eventType = `LIMIT ${errorBytesMax}`;
    const started = await scenario.start(
      [
        new CallLog().handler({ eventType, retry: { maxRetryCount: 1 } }, () => {
          throw new NonRetryableError("付😀".repeat(100_000), { cause: new Error("因😀".repeat(50_000)) });
        }),
      ],
      { errorBytesMax },
    );
    const { id } = await started.enqueue({ eventType, bizKey: "k" });
    const row = await started.rowWhere(id, "fails", ({ status }) => status === "failed");
    expect(Buffer.byteLength(row.lastError ?? "")).toBeLessThanOrEqual(errorBytesMax);
    expect(Buffer.byteLength(row.lastError ?? "")).toBeGreaterThan(errorBytesMax - 8);
    expect(row.lastError).toMatch(/^NonRetryableError: (付😀)+付? … \[cut\]$/u);
  });

  it("the same characters survive in key, type and payload, through the service's own connection at the driver's default", async () => {
    const log = new CallLog();
    const eventType = "支付订单 😀 é";
    const bizKey = "订单-😀-é-e\u0301-\t'\"\\%_ end ";
    const bizContext = { text: "😀订单\u0000\u2028'\"\\", nested: [{ 键: "值" }] };
    const started = await scenario.start([
      log.handler({ eventType, pollIntervalMs: 50 }, (task) => task.retryCount > 0),
    ]);
    const { id } = await started.enqueue({ eventType, bizKey, bizContext, firstIntervalSeconds: 1 });
    const row = await started.rowWhere(id, "succeeds after a failure", ({ status }) => status === "succeeded");
    expect(row).toMatchObject({ eventType, bizKey, bizContext: JSON.stringify(bizContext), retryCount: 1 });
    expect(log.calls).toHaveLength(2);
    for (const call of log.calls) expect(call).toMatchObject({ eventType, bizKey, bizContext });
    const again = await started.enqueue({ eventType, bizKey });
    expect(again).toMatchObject({ id, inserted: false });
    const [entry] = await scenario.rows<{ event_type: string }>(
      "SELECT event_type FROM t_retry_attempt WHERE task_id = ?",
      [BigInt(id)],
    );
    expect(entry?.event_type).toBe(eventType);
  });
});
