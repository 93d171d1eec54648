import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../session.ts";
import { holdOpen, stepBefore } from "../testing/locks.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { holdLease, releaseLease } from "./leases.ts";

const NOW = new Date("2026-10-25T00:30:00.500Z");
const LEASE_MS = 10_000;
const after = (ms: number) => new Date(NOW.getTime() + ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_lease")));

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const lease = (owner: string) => ({ name: "archive", owner, leaseMs: LEASE_MS });
const hold = (owner: string, at = NOW) => inSession((session) => holdLease(session.at(at), lease(owner)));
const release = (owner: string) => inSession((session) => releaseLease(session, { name: "archive", owner }));
const stored = () =>
  inSession(async (session) => {
    const [row] = await session.rows<{ owner: string | null; lease_no: number; expire_time: string }>(
      sql`SELECT owner, lease_no, expire_time FROM t_retry_lease WHERE name = 'archive'`,
    );
    return row && { owner: row.owner, leaseNo: row.lease_no, expireAt: session.zone.parseInstant(row.expire_time) };
  });

describe("holdLease", () => {
  it("gives a duty to the first who asks, and to nobody else until its time is over", async () => {
    expect(await hold("one")).toBe(true);
    expect(await hold("two")).toBe(false);
    expect(await hold("two", after(LEASE_MS))).toBe(false);
    expect(await stored()).toEqual({ owner: "one", leaseNo: 1, expireAt: after(LEASE_MS) });
  });

  it("gives it to another a millisecond after its time, under the next number", async () => {
    await hold("one");
    expect(await hold("two", after(LEASE_MS + 1))).toBe(true);
    expect(await stored()).toEqual({ owner: "two", leaseNo: 2, expireAt: after(2 * LEASE_MS + 1) });
    expect(await hold("one", after(LEASE_MS + 2))).toBe(false);
  });

  it("lets its holder renew it to its last millisecond, under the same number", async () => {
    await hold("one");
    expect(await hold("one", after(LEASE_MS))).toBe(true);
    expect(await stored()).toEqual({ owner: "one", leaseNo: 1, expireAt: after(2 * LEASE_MS) });
  });

  it("lets a holder that came too late take it anew, under the next number", async () => {
    await hold("one");
    expect(await hold("one", after(LEASE_MS + 1))).toBe(true);
    expect((await stored())?.leaseNo).toBe(2);
  });

  it("tells owners apart that differ in case only", async () => {
    await hold("one");
    expect(await hold("ONE")).toBe(false);
  });

  it("has one winner when two see that nobody has ever held it", async () => {
    const session = stepBefore(test, /^INSERT/, () => hold("faster", new Date()));
    expect(await holdLease(session, lease("slower"))).toBe(false);
    expect((await stored())?.owner).toBe("faster");
  });

  it("has one winner when two take it over at the same moment", async () => {
    await hold("gone");
    const late = after(LEASE_MS + 1);
    const first = await holdOpen(test.database, (session) => holdLease(session.at(late), lease("first")));
    const second = hold("second", late);
    await first.commit();
    expect([first.result, await second]).toEqual([true, false]);
    expect(await stored()).toMatchObject({ owner: "first", leaseNo: 2 });
  });

  it("keeps duties apart by name", async () => {
    await hold("one");
    const other = { ...lease("two"), name: "export" };
    expect(await inSession((session) => holdLease(session.at(NOW), other))).toBe(true);
  });
});

describe("releaseLease", () => {
  it("lets another take the duty at once", async () => {
    await hold("one");
    await release("one");
    expect(await hold("two")).toBe(true);
    expect(await stored()).toMatchObject({ owner: "two", leaseNo: 2 });
  });

  it("does not give up what another holds", async () => {
    await hold("one");
    await release("two");
    expect((await stored())?.owner).toBe("one");
  });
});
