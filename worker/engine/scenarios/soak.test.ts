import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { endChildren } from "../../testing/child-engine.ts";
import { soak } from "../../testing/soak.ts";

const MIB = 1_048_576;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
afterEach(endChildren);

describe("soak", () => {
  it(
    "soak: after thousands of tasks, failures among them, heap, timers and sockets are as before",
    { timeout: 180_000 },
    async () => {
      const report = await soak(test, { seconds: 10, rate: 300, warmUpSeconds: 5 });
      expect(report.errors).toEqual({});
      expect(report.statuses).toEqual({ succeeded: 15 * 300 });
      expect(report.after.heapBytes).toBeLessThanOrEqual(report.before.heapBytes * 1.1 + MIB);
      // Loops and pools have a fixed number of timers; one per task or retry would be thousands.
      expect(report.after.active["Timeout"] ?? 0).toBeLessThanOrEqual((report.before.active["Timeout"] ?? 0) + 3);
      // Eight connections of the service, six of the engine.
      expect(report.after.active["TCPSocketWrap"] ?? 0).toBeLessThanOrEqual(14);
      // Node warns here of listeners that pile up.
      expect(report.stderr).toBe("");
    },
  );
});
