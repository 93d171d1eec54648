import type { Store } from "./fixtures.ts";

/** A bulk action in each of its states, ids 101 to 109; the tasks are those of `seedScene`. */
export async function seedBulkActions(store: Store): Promise<void> {
  const ago = (minutes: number) => `'${store.stored(new Date(Date.now() - minutes * 60_000))}'`;
  const filter = JSON.stringify({ state: "failed", eventTypes: ["PAY_ORDER"], cause: "9f1c20d7a4b35e68" });
  const wide = JSON.stringify({ state: "stuck", eventTypes: ["PAY_ORDER", "CREDIT_GRANT"], minAttempts: 3 });
  const rows = [
    [101, "INC-2041 credit-core was down", "reset", filter, "finished", "NULL", 1_240, 1_198, 42, 300],
    [102, "INC-2041 the rest", "reset", filter, "running", "NULL", 12_400, 5_210, 18, 12],
    [103, "INC-2042 wrong amount", "cancel", wide, "awaiting_approval", "NULL", 12_400_000, 0, 0, 9],
    [104, "Try twenty first", "reset", filter, "canary", "NULL", 400, 20, 0, 8],
    [105, "Try twenty first, failed", "reset", filter, "paused", "'canary: 7 of 20 succeeded'", 400, 20, 0, 60],
    [106, "Later tonight", "reset", wide, "scheduled", "NULL", 1, 0, 0, 1],
    [107, "Wrong button", "cancel", filter, "aborted", "'undone'", 37, 0, 0, 90],
    [108, "INC-2039 stopped halfway", "reset", filter, "aborted", "'enough'", 900, 411, 3, 1_500],
    [109, "INC-2040 could not go on", "reset", filter, "failed", "'the event type is gone'", 80, 12, 0, 4_000],
  ] as const;
  const values = rows.map(([id, name, action, filters, state, reason, estimate, done, skipped, minutes]) => {
    const canary = name.startsWith("Try") ? `20, 0.9, ${state === "paused" ? "'failed'" : "NULL"}` : "0, NULL, NULL";
    const end = state === "finished" || state === "aborted" || state === "failed" ? ago(minutes - 1) : "NULL";
    return `(${id}, '${name}', '${action}', '${filters}', 9000000000000000000, ${ago(minutes)}, '${state}', ${reason}, 50, 60000, ${canary},
      'credit-core is back since 13:40', 'ops.lin', ${estimate}, ${done}, ${skipped}, 'w-1', ${store.clock}, ${ago(minutes)}, ${ago(minutes)}, ${end}, ${ago(0)})`;
  });
  await store.run(
    `INSERT INTO t_retry_bulk (id, name, action, filter, max_id, bound_time, state, state_reason, rate_per_second, jitter_ms,
      canary_rows, canary_share, canary_verdict, reason, actor, estimate, done_count, skipped_count, owner, beat_time,
      create_time, start_time, finish_time, update_time) VALUES ${values.join(", ")}`,
  );
  const skips = ["running", "succeeded", "changed", "gone", "locked"];
  const items = Array.from({ length: 60 }, (_, n) => {
    const isSkipped = n % 6 === 5;
    const task = 1_970_670_598_291_000_000n + BigInt(17 * (n + 1));
    return `(101, ${task}, '${isSkipped ? "skipped" : "done"}', ${isSkipped ? `'${skips[n % 5] ?? ""}'` : "NULL"}, NULL, 1, ${ago(299)})`;
  });
  await store.run(
    `INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, detail, previous, claim_no, create_time) VALUES ${items.join(", ")}`,
  );
}
