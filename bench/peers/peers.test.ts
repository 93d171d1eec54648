import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PEERS } from "../contestants/named.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const { dependencies, optionalDependencies } = JSON.parse(read("./package.json")) as Record<
  "dependencies" | "optionalDependencies",
  Record<string, string>
>;

describe("the peers' packages", () => {
  it("are pinned, in the list and in the lock file", () => {
    const { packages } = JSON.parse(read("./package-lock.json")) as { packages: Record<string, { version: string }> };
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    }
  });

  it("come from whatever registry npm is told, for the lock file names none", () => {
    expect(read("./package-lock.json")).not.toContain('"resolved"');
  });

  it("are no dependency of the repository itself", () => {
    const root = JSON.parse(read("../../package.json")) as Record<string, Record<string, string>>;
    const own = { ...root["dependencies"], ...root["devDependencies"] };
    expect(Object.keys(dependencies).filter((name) => name in own)).toEqual([]);
  });
});

it("every peer can be named where none of them is installed", () => {
  expect(PEERS.map(({ name }) => name)).toEqual([
    "sidequest",
    "serenis",
    "pg-boss",
    "graphile-worker",
    "bullmq",
    "bullmq-everysec",
  ]);
});
