import { Database } from "../../db/client.ts";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { ArchivePace } from "../duties/archive-pace.ts";
import { runArchive } from "../duties/archive-run.ts";
import { systemClock } from "../engine/clock.ts";

// A process of its own that archives everything ripe; tests start it and kill it. At the n-th time of a step it says so
// and stands still. URL ZONE [STEP N]
const [url = "", zone = "UTC", step, times = "1"] = process.argv.slice(2);
const database = new Database({ connection: parseDatabaseUrl(url), zone: SessionZone.parse(zone) });
let seen = 0;
const report = await runArchive({
  database,
  clock: systemClock,
  pace: new ArchivePace({ rowsPerSecond: 0, brakes: [], clock: systemClock }),
  signal: new AbortController().signal,
  onStep: async (name) => {
    if (name !== step || ++seen < Number(times)) return;
    process.stdout.write(`at ${name}\n`);
    await new Promise(() => setInterval(() => undefined, 60_000));
  },
});
process.stdout.write(`moved ${report.tasks}\n`);
await database.close();
