import { readFileSync } from "node:fs";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../../e2e/support/identity-provider.ts";
import { openRest, type Rest, type RestCall } from "../testing/rest-client.ts";
import { CHANGES, insertRows, READS, type Rows } from "./api-examples.ts";
import { openApiDocument } from "./document.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

let rest: Rest;
let rows: Rows;
let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider(() => ["http://localhost:3000/api/v1/sign-in/oidc/callback"]);
  process.env["REDRIVE_OIDC_ISSUER"] = provider.issuer;
  process.env["REDRIVE_OIDC_CLIENT_ID"] = provider.clientId;
  process.env["REDRIVE_OIDC_ROLES"] = '[{"value":"*","role":"viewer"}]';
  rest = await openRest();
  rows = await insertRows(rest);
});
afterAll(async () => {
  await rest.close();
  await provider.stop();
});

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
  const reading = OPERATIONS.filter(
    ({ method, answer, id }) => method === "GET" && isJson(answer) && id !== "countNewerTasks",
  );

  it.each(reading.map((one) => [named(one.method, one.path), one] as const))("%s is as described", async (_, one) => {
    const calls = READS[one.path]?.(rows) ?? [one.path];
    for (const call of calls) await expectDescribed(one, typeof call === "string" ? { path: call } : call);
  });

  it("GET /api/v1/tasks/newer is as described", async () => {
    const page = await rest.call({ path: "/api/v1/tasks?limit=1" });
    const { startCursor = "" } = (await page.json()) as { startCursor?: string };
    const newer = OPERATIONS.find(({ id }) => id === "countNewerTasks");
    if (!newer) throw new Error("there is no such operation");
    await expectDescribed(newer, { path: `/api/v1/tasks/newer?cursor=${encodeURIComponent(startCursor)}` });
  });

  const changing = OPERATIONS.filter(({ method }) => method !== "GET");

  it("every change is looked at", () => {
    expect(Object.keys(CHANGES).sort()).toEqual(changing.map(({ id }) => id).sort());
  });

  const answers: Record<string, Readonly<Record<string, unknown>>> = {};
  it.each(Object.entries(CHANGES))("%s is as described", async (id, callOf) => {
    const operation = changing.find((one) => one.id === id);
    if (!operation) throw new Error("there is no such operation");
    const call = await callOf({ ...rows, rest, answers });
    answers[id] = await expectDescribed(operation, { method: operation.method, ...call });
  });
});

function isJson(answer: Operation["answer"]): boolean {
  return !("mediaType" in answer) && !("redirect" in answer);
}

async function expectDescribed(operation: Operation, call: RestCall): Promise<Readonly<Record<string, unknown>>> {
  const response = await rest.call(call);
  const body = (await response.json()) as Record<string, unknown>;
  expect([call.path, response.status, response.status === 200 ? "" : body]).toEqual([call.path, 200, ""]);
  const result = (operation.answer as z.ZodType).safeParse(body);
  expect([call.path, result.success ? "" : z.prettifyError(result.error)]).toEqual([call.path, ""]);
  return body;
}
