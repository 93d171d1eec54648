import { defineConfig } from "@playwright/test";
import base from "./playwright.config.ts";

/** Takes pictures of the pages instead of testing them: `npm run e2e:screens`. */
export default defineConfig(base, { testDir: "e2e/screens", testMatch: "**/*.screens.ts" });
