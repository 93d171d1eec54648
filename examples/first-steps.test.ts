import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../db/testing/test-database.ts";
import { firstSteps } from "./first-steps.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it("runs the handler for the committed order, once, and ends the task", async () => {
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await firstSteps(test.pool, "order-1");
  // The amount is read over another connection: the handler ran after the commit.
  expect(printed.mock.calls).toEqual([["receipt for order order-1: 4200 cents"]]);
  const [rows] = await test.pool.query("SELECT status, claim_no FROM t_retry_task WHERE biz_key = 'order-1'");
  expect(rows).toEqual([{ status: 1, claim_no: 1 }]);
});
