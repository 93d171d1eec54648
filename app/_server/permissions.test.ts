import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROLES } from "../../db/schema/account.ts";
import { type Permission, PERMISSIONS, roleMay } from "./permissions.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const APP = join(ROOT, "app");

describe("the roles", () => {
  it("are those of docs/console.md", () => {
    const lines = readFileSync(join(ROOT, "docs", "console.md"), "utf8").split("\n");
    const header = lines.findIndex((line) => line.startsWith("| permission |"));
    const cells = (line: string) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
    const roles = cells(lines[header] ?? "").slice(1);
    const rows = lines.slice(header + 2, lines.indexOf("", header)).map(cells);
    expect([...roles].sort()).toEqual([...ROLES].sort());
    const written = rows.map(([name = "", ...marks]) => [
      name.replaceAll("`", ""),
      roles.filter((_, n) => marks[n] === "yes"),
    ]);
    const known = (Object.keys(PERMISSIONS) as Permission[]).map((permission) => [
      permission,
      roles.filter((role) => roleMay(role as (typeof ROLES)[number], permission)),
    ]);
    expect(written).toEqual(known);
  });
});

describe("every page", () => {
  const pages = readdirSync(APP, { recursive: true, encoding: "utf8" }).filter((file) => /(^|\/)page\.tsx$/.test(file));

  it.each(pages.filter((file) => !file.startsWith("sign-in/")))("%s is drawn for whoever is signed in only", (file) => {
    expect(readFileSync(join(APP, file), "utf8")).toContain("await mustBeSignedIn();");
  });
});
