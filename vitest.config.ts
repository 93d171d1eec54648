import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/lib/longest-first.ts";

export default defineConfig({
  // The console's server code says that no browser may load it; a test is no browser.
  resolve: { alias: { "server-only": "next/dist/compiled/server-only/empty.js" } },
  test: {
    projects: [
      // Keep nothing in modules that another file could meet, so those of one process are loaded once: a sixth of the time.
      {
        extends: true,
        test: {
          name: "engine",
          include: ["{db,worker}/**/*.test.ts"],
          isolate: false,
          globalSetup: "./scripts/lib/compile-scripts.ts",
        },
      },
      { extends: true, test: { name: "other", include: ["{app,examples,scripts,bench}/**/*.test.ts"] } },
    ],
    restoreMocks: true,
    environment: "node",
    // Written for bundlers: its imports name no files.
    server: { deps: { inline: [/dt-sql-parser/, /antlr4/] } },
    pool: "forks",
    // Most tests wait for a database or another process, so more of them fit side by side than there are cores.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
