import { readFileSync } from "node:fs";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertAudit } from "../../../db/queries/insert-audit.ts";
import { insertTaskRow } from "../../../db/testing/task-rows.ts";
import { openRest, type Rest } from "../testing/rest-client.ts";
import { openApiDocument } from "./document.ts";
import { OPERATIONS } from "./operations.ts";

let rest: Rest;
/** Of rows that the examples find. */
const ids = { failed: "", audit: "" };
beforeAll(async () => {
  rest = await openRest();
  await rest.test.database.use(async (session) => {
    ids.failed = await insertTaskRow(session, { eventType: "PAY", status: "failed", lastError: "no", retryCount: 3 });
    await insertTaskRow(session, { eventType: "PAY", status: "pending" });
    for (const objectId of ["1", "2"]) {
      await insertAudit(session, {
        ...{ actor: "ada", actorKind: "person", role: "admin", action: "task.reset", objectKind: "task", result: "ok" },
        ...{ objectId, eventType: "PAY", reason: "why", ip: "::1", requestId: "r", correlation: "c" },
        detail: { before: { status: "failed" }, after: { status: "pending" } },
      });
    }
  });
  const [rows] = await rest.test.pool.query("SELECT MAX(id) AS id FROM t_retry_audit");
  ids.audit = String((rows as { id: number }[])[0]?.id);
});
afterAll(() => rest.close());

/** Calls of GET routes that find something, by path; others are called without a query. */
const EXAMPLES: Readonly<Record<string, () => readonly string[]>> = {
  "/api/v1/tasks": () => ["/api/v1/tasks?status=failed", "/api/v1/tasks?status=failed&limit=1&eventType=PAY"],
  "/api/v1/audit": () => ["/api/v1/audit", "/api/v1/audit?limit=1&actor=ada&from=2020-01-01T00:00:00Z"],
  "/api/v1/audit/{id}": () => [`/api/v1/audit/${ids.audit}`],
};

const named = (method: string, path: string) => `${method} ${path}`;
const documented = new Set(OPERATIONS.map(({ method, path }) => named(method, path)));

describe("the API document", () => {
  it("describes every route under app/api/v1, and no other", () => {
    const onDisk = rest.routes
      .filter(({ path }) => path.startsWith("/api/v1/"))
      .flatMap(({ path, handlers }) => Object.keys(handlers).map((method) => named(method, path)));
    expect(
      onDisk.filter((route) => !documented.has(route)),
      "routes that app/_server/openapi/operations.ts does not describe",
    ).toEqual([]);
    expect(
      [...documented].filter((route) => !onDisk.includes(route)),
      "descriptions without a route",
    ).toEqual([]);
    expect(documented.size).toBe(OPERATIONS.length);
  });

  it("names the permission that the route asks for", () => {
    for (const { method, path, permission } of OPERATIONS) {
      const file = rest.routes.find((route) => route.path === path)?.file;
      const code = file ? readFileSync(file, "utf8") : "";
      const asked = new RegExp(`const ${method} = (?:apiRoute(?:<[^(]*>)?\\(\\s*"([\\w.]+)"|(openRoute))`).exec(code);
      expect([named(method, path), asked?.[1] ?? (asked?.[2] && "anyone")]).toEqual([named(method, path), permission]);
    }
  });

  it("is whole: references lead somewhere, names are unique, paths declare their parameters", () => {
    const document = openApiDocument(OPERATIONS) as { paths: object; components: { schemas: object } };
    const text = JSON.stringify(document);
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
    expect(text).not.toContain("$defs");
    expect([...text.matchAll(/"\$ref":"(?!#\/components\/)/g)]).toEqual([]);
    const operationIds = OPERATIONS.map(({ id }) => id);
    expect(new Set(operationIds).size).toBe(operationIds.length);
    for (const { path, params = {} } of OPERATIONS) {
      expect([path, Object.keys(params)]).toEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]);
    }
    expect(text).not.toMatch(/\bundefined\b/);
  });

  it("is what the console answers with, to who is signed in", async () => {
    const answer = await rest.call({ path: "/api/v1/openapi.json", key: await rest.key("viewer") });
    expect(await answer.json()).toMatchObject({ openapi: "3.1.0", paths: { "/api/v1/audit": expect.anything() } });
    expect((await rest.call({ path: "/api/v1/openapi.json", key: `rdv_${"x".repeat(43)}` })).status).toBe(401);
  });
});

describe("the answer of", () => {
  const reading = OPERATIONS.filter(({ method, answer }) => method === "GET" && !("mediaType" in answer));

  it.each(reading.map((one) => [named(one.method, one.path), one] as const))("%s is as described", async (_, one) => {
    const paths = EXAMPLES[one.path]?.() ?? [one.path];
    for (const path of paths) {
      const response = await rest.call({ path });
      const body = (await response.json()) as unknown;
      expect([path, response.status, response.status === 200 ? "" : body]).toEqual([path, 200, ""]);
      const result = (one.answer as z.ZodType).safeParse(body);
      expect([path, result.success ? "" : z.prettifyError(result.error)]).toEqual([path, ""]);
    }
  });
});
