import { parseArgs } from "node:util";
import { createTestDatabase } from "../db/testing/test-database.ts";
import { soak } from "../worker/testing/soak.ts";

/*
 * Memory of an embedded engine under a steady load, in a database of its own on TEST_DATABASE_URL:
 * npm run soak -- --minutes 10 --rate 300
 * One JSON object on stdout: the heap at the end beside that of minute 2 (of a short run: of its first quarter). Exit code 1 if a transaction failed or the collected heap grew by more than a tenth and 2 MiB.
 */

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, rate: { type: "string", default: "300" } },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes > 0 && minutes <= 1_440) || !(rate >= 3 && rate <= 10_000)) {
  console.error("usage: bench/soak.ts [--minutes 0 to 1440] [--rate 3 to 10000 tasks per second]");
  process.exit(2);
}

const test = await createTestDatabase();
try {
  const report = await soak(test, { seconds: minutes * 60, rate, warmUpSeconds: Math.min(120, minutes * 15) });
  console.log(JSON.stringify({ server: test.kind, minutes, rate, ...report }));
  const { before, after, errors } = report;
  const isFlat = after.heapBytes <= before.heapBytes * 1.1 + 2 * 1_048_576;
  if (!isFlat || Object.keys(errors).length > 0) process.exitCode = 1;
} finally {
  await test.drop();
}
