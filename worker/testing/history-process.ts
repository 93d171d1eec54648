import { Database } from "../../db/client.ts";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { systemClock } from "../engine/clock.ts";
import { runExport } from "../export/export-run.ts";
import { LocalTarget } from "../export/local-target.ts";
import { runPurge } from "../export/purge-run.ts";
import { RunLease } from "../export/run-lease.ts";
import { SMALL_LIMITS } from "./history-run.ts";

// A process of its own that exports or purges and dies at the named step, as if its power were cut there.
// Arguments: export|purge, database URL, zone, folder, step, how many times the step is passed before.
const [verb, url = "", zone = "", folder = "", fatalStep, passes = "0"] = process.argv.slice(2);
const database = new Database({ connection: parseDatabaseUrl(url), zone: SessionZone.parse(zone) });
const signal = new AbortController().signal;
const lease = new RunLease({ database, owner: "test", clock: systemClock, signal });
const target = new LocalTarget(folder);
let left = Number(passes);
const onStep = async (step: string): Promise<void> => {
  if (step !== fatalStep || left-- > 0) return;
  process.kill(process.pid, "SIGKILL");
  // The signal arrives when it arrives; nothing more happens until then.
  await new Promise(() => setInterval(() => undefined, 1_000));
};
if (verb === "export") await runExport({ database, target, lease, limits: SMALL_LIMITS, onStep });
else {
  const pace = { wait: async () => undefined, moved: () => undefined };
  await runPurge({
    database,
    target,
    requiresExport: true,
    lease,
    clock: systemClock,
    pace,
    signal,
    batchRows: 3,
    onStep,
  });
}
await database.close();
