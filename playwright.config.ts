import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  globalSetup: "./e2e/global-setup.mjs",
  // Two processes and a browser for each worker: more would only make them wait for one another.
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // On a busy machine a press may reach a page before its script does. What passes only when repeated is named at the end.
  retries: 1,
  forbidOnly: Boolean(process.env["CI"]),
  reporter: "list",
  use: {
    browserName: "chromium",
    locale: "en-GB",
    timezoneId: "Asia/Shanghai",
    colorScheme: "light",
    screenshot: "only-on-failure",
    // A trace is written for every test to be kept of a few, and makes a run a third longer: ask for it where one fails.
    trace: process.env["REDRIVE_TRACE"] === "1" ? "retain-on-failure" : "off",
    launchOptions: {
      executablePath: process.env["REDRIVE_CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
