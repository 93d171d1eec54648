import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: Record<string, string>;
};

// npm signals the shell that it starts, and a shell does not pass a signal on: it must become the process itself.
it.each(["demo", "worker", "console", "redrive"])("npm run %s lets a signal reach the process", (name) => {
  expect(scripts[name]).toMatch(/^exec node /);
});
