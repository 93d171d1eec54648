import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{db,worker,app,examples,scripts,bench}/**/*.test.ts"],
    environment: "node",
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
