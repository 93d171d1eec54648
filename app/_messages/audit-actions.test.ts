import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AUDIT_ACTIONS } from "../../db/schema/audit-actions.ts";
import { OBJECT_KINDS } from "../_components/audit/object-kinds.ts";
import english from "./en/index.ts";
import chinese from "./zh-CN/index.ts";

const OPERATED = /^(task|bulk|type|archive|payload)\./;
const root = join(import.meta.dirname, "../..");

function sources(): string[] {
  return ["app", "worker", "db"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
}

describe.each([
  ["English", english],
  ["Chinese", chinese],
])("the words for actions in %s", (_, messages) => {
  const texts: Record<string, string> = messages.auditAction;

  it("name everything that the audit log tells of, and nothing else", () => {
    const names = Object.keys(texts).filter((key) => !key.startsWith("did_"));
    expect(names).toEqual(AUDIT_ACTIONS.map((action) => action.replace(".", "_")));
  });

  it("tell in a sentence what the overview and its charts show", () => {
    const told = Object.keys(texts).filter((key) => key.startsWith("did_"));
    expect(told).toEqual(
      AUDIT_ACTIONS.filter((action) => OPERATED.test(action)).map((action) => `did_${action.replace(".", "_")}`),
    );
  });
});

it("every kind of object that code writes into the audit log has words", () => {
  const written = sources().flatMap((code) => [...code.matchAll(/objectKind: "([a-z_]+)"/g)].map(([, kind]) => kind));
  expect(written.length).toBeGreaterThan(10);
  expect([...new Set(written)].filter((kind) => !OBJECT_KINDS.some((known) => known === kind))).toEqual([]);
});
