import { parseDatabaseUrl } from "../connection-options.ts";
import { migrate } from "../migrate/migrate.ts";

// A process of its own that migrates one database and prints what it applied; tests start it and kill it.
const result = await migrate(parseDatabaseUrl(process.argv[2] ?? ""));
process.stdout.write(JSON.stringify(result.applied.map(({ version }) => version)));
