import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ENGINE_VERSION } from "./version.ts";

it("is the version of the package", async () => {
  const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(ENGINE_VERSION).toBe(manifest.version);
});
