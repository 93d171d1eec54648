import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{db,worker,app,examples,scripts,bench}/**/*.test.ts"],
    environment: "node",
    pool: "forks",
    // Most tests wait for a database or another process, so more of them fit side by side than there are cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
