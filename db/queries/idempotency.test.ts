import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  releaseIdempotencyKey,
  removeOldIdempotencyKeys,
  storeIdempotentAnswer,
} from "./idempotency.ts";

const NOW = Date.parse("2026-05-01T12:00:00.000Z");
const later = (ms: number) => new Date(NOW + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ connectionLimit: 12 });
});
afterAll(() => test.drop());

const request = (keyHash: string, claim: string, requestHash = "body"): IdempotentRequest => ({
  keyHash,
  requestHash,
  claim,
});
const claim = (one: IdempotentRequest, at = later(0)) =>
  test.database.use((session) => claimIdempotencyKey(session.at(at), one));
const store = (one: IdempotentRequest, body: string) =>
  test.database.use((session) => storeIdempotentAnswer(session, one, { status: 200, body }));

describe("an idempotency key", () => {
  it("lets one of many requests at once through", async () => {
    const verdicts = await Promise.all(Array.from({ length: 12 }, (_, n) => claim(request("race", `c${n}`))));
    expect(verdicts.map(({ outcome }) => outcome).sort()).toEqual(["claimed", ...Array(11).fill("in_progress")]);
  });

  it("gives repeats the stored answer, another body none", async () => {
    expect(await claim(request("a", "c1"))).toEqual({ outcome: "claimed" });
    expect(await store(request("a", "c1"), "answer")).toBe(true);
    expect(await claim(request("a", "c2"))).toEqual({ outcome: "answered", status: 200, body: "answer" });
    expect(await claim(request("a", "c3", "other"))).toEqual({ outcome: "mismatch" });
  });

  it("is taken over after a minute, by one only; the first one's answer then counts no more", async () => {
    await claim(request("b", "c1"));
    expect(await claim(request("b", "c2"), later(59_000))).toEqual({ outcome: "in_progress" });
    const takeovers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => claim(request("b", `t${n}`), later(61_000))),
    );
    expect(takeovers.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
    expect(await store(request("b", "c1"), "late")).toBe(false);
    const winner = takeovers.findIndex(({ outcome }) => outcome === "claimed");
    expect(await store(request("b", `t${winner}`), "right")).toBe(true);
    expect(await claim(request("b", "c9"), later(62_000))).toMatchObject({ body: "right" });
  });

  it("is not taken over by another body", async () => {
    await claim(request("c", "c1"));
    expect(await claim(request("c", "c2", "other"), later(3_600_000))).toEqual({ outcome: "mismatch" });
  });

  it("is free again when it is given back, or after a day", async () => {
    await claim(request("d", "c1"));
    await test.database.use((session) => releaseIdempotencyKey(session, request("d", "c0")));
    expect(await claim(request("d", "c2"))).toEqual({ outcome: "in_progress" });
    await test.database.use((session) => releaseIdempotencyKey(session, request("d", "c1")));
    expect(await claim(request("d", "c2"))).toEqual({ outcome: "claimed" });
    await store(request("d", "c2"), "old");
    expect(await claim(request("d", "c3", "other"), later(86_400_000 + 1))).toEqual({ outcome: "claimed" });
  });

  it("is removed after a day, 500 at a time", async () => {
    await test.pool.query("DELETE FROM t_retry_idempotency");
    const rows = Array.from({ length: 700 }, (_, n) => `('old-${n}', 'r', '${test.zone.format(later(n))}')`);
    await test.pool.query(
      `INSERT INTO t_retry_idempotency (key_hash, request_hash, create_time) VALUES ${rows.join(",")}`,
    );
    await claim(request("young", "c"), later(86_400_000));
    const remove = () => test.database.use((session) => removeOldIdempotencyKeys(session.at(later(86_500_000))));
    expect([await remove(), await remove(), await remove()]).toEqual([500, 200, 0]);
    expect(await claim(request("young", "c2"), later(86_400_000))).toEqual({ outcome: "in_progress" });
  });
});
