import { Database } from "../../db/client.ts";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import { SessionZone } from "../../db/session-zone.ts";
import { BulkRunner } from "../duties/bulk-runner.ts";
import { systemClock } from "../engine/clock.ts";
import { EngineEvents } from "../engine/events.ts";
import { silentLogger } from "../engine/logger.ts";

// A process of its own that carries bulk actions on until it is killed; at the n-th time of a step it says so and stands
// still. URL ZONE OWNER [STEP N]
const [url = "", zone = "UTC", owner = "child", step, times = "1"] = process.argv.slice(2);
const database = new Database({ connection: parseDatabaseUrl(url), zone: SessionZone.parse(zone) });
let seen = 0;
const runner = new BulkRunner({
  database,
  owner,
  clock: systemClock,
  events: new EngineEvents(),
  log: silentLogger,
  onStep: async (name) => {
    if (name !== step || ++seen < Number(times)) return;
    process.stdout.write(`at ${name}\n`);
    await new Promise(() => setInterval(() => undefined, 60_000));
  },
});
runner.start();
setInterval(() => undefined, 60_000);
