import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);

/** The code of the product, without what only tests use. */
function sources(): string[] {
  return ["db", "app", "worker", "scripts"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|mjs|sql)$/.test(name) && !/\.test\.ts$|(^|\/)testing\//.test(name))
      .map((name) => `${folder}/${name}`),
  );
}

it("nothing but INSERT and SELECT reaches the audit log (CONSOLE 3.10)", () => {
  const changes =
    /\b(?:UPDATE|REPLACE(?:\s+INTO)?|DELETE(?:\s+\w+)?\s+FROM|TRUNCATE(?:\s+TABLE)?|DROP\s+TABLE|ALTER\s+TABLE)\s+(?:IF EXISTS\s+)?(?:`?t_retry_audit\b|\$\{audit\})/i;
  const joined = /\b(?:UPDATE|DELETE)\b[^;]{0,400}?JOIN\s+(?:`?t_retry_audit\b|\$\{audit\})/i;
  const offending = sources().filter((name) => {
    const text = readFileSync(new URL(name, root), "utf8");
    return changes.test(text) || joined.test(text);
  });
  expect(offending).toEqual([]);
  expect(changes.test("DELETE FROM ${audit} WHERE")).toBe(true);
});

it("only the writer of entries inserts into it", () => {
  const inserting = sources().filter((name) =>
    /INSERT\s+INTO\s+(?:`?t_retry_audit\b|\$\{audit\})/i.test(readFileSync(new URL(name, root), "utf8")),
  );
  expect(inserting).toEqual(["db/queries/insert-audit.ts"]);
});
