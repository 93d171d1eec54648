import { readdirSync } from "node:fs";
import { sep } from "node:path";
import { hashApiTokenKey, makeApiTokenKey } from "../../../db/api-token-key.ts";
import { insertApiToken } from "../../../db/queries/api-tokens.ts";
import type { Role } from "../../../db/schema/account.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";

type RouteHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const API_FOLDER = new URL("../../api/", import.meta.url);

/** A route of the API, found on disk. */
export interface RestRoute {
  /** As a document writes it: `/api/v1/tasks/{id}/reset`. */
  readonly path: string;
  readonly file: URL;
  readonly handlers: Readonly<Record<string, RouteHandler>>;
}

export interface RestCall {
  readonly method?: string;
  /** Path and query below the console's own base. */
  readonly path: string;
  /** Sent as JSON, or as it is if it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A key of `rest.key()`. Left out: that of an admin with all scopes. */
  readonly key?: string;
}

/** The API of the console over a database of its own, without a server between: its route handlers, called directly. */
export interface Rest {
  readonly test: TestDatabase;
  readonly routes: readonly RestRoute[];
  /** A key for a machine of this role; `name` is unique per call unless given. */
  key(role: Role, scopes?: readonly string[], name?: string): Promise<string>;
  call(call: RestCall): Promise<Response>;
  close(): Promise<void>;
}

export async function openRest(): Promise<Rest> {
  const test = await createTestDatabase();
  process.env["DATABASE_URL"] = test.url;
  process.env["REDRIVE_ZONE"] = test.zone.name;
  const routes = await loadRoutes();
  let count = 0;
  const key = async (role: Role, scopes?: readonly string[], name = `${role}-${++count}`) => {
    const made = makeApiTokenKey();
    await test.database.use((session) =>
      insertApiToken(session, {
        name,
        tokenHash: hashApiTokenKey(made),
        role,
        scopes,
        createdBy: "test",
        expiresInMs: undefined,
      }),
    );
    return made;
  };
  const admin = await key("admin", undefined, "admin");
  return {
    test,
    routes,
    key,
    async call({ method = "GET", path, body, headers = {}, key: given = admin }) {
      const url = new URL(path, "http://console.test");
      const found = matchRoute(routes, url.pathname);
      const handler = found?.route.handlers[method];
      if (!found || !handler) throw new Error(`no route takes ${method} ${path}`);
      const type: Record<string, string> =
        method === "GET" || method === "HEAD" ? {} : { "Content-Type": "application/json" };
      const all = { ...type, Authorization: `Bearer ${given}`, ...headers };
      const request = new Request(url, { method, headers: all, ...bodyOf(method, body) });
      return handler(request, { params: Promise.resolve(found.params) });
    },
    async close() {
      const { consoleDatabase } = await import("../database.ts");
      await consoleDatabase().close();
      await test.drop();
    },
  };
}

function bodyOf(method: string, body: unknown): { body?: BodyInit } {
  if (method === "GET" || method === "HEAD" || body === undefined) return {};
  return { body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body) };
}

/** Every route file below app/api with the methods that it exports. */
export async function loadRoutes(): Promise<RestRoute[]> {
  const files = readdirSync(API_FOLDER, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(^|[/\\])route\.ts$/.test(name),
  );
  const routes = files.sort().map(async (name) => {
    const file = new URL(name.split(sep).join("/"), API_FOLDER);
    const folder = name.split(/[/\\]/).slice(0, -1).join("/");
    const exported = (await import(file.href)) as Record<string, unknown>;
    const handlers = METHODS.flatMap((method) => {
      const handler = exported[method];
      return typeof handler === "function" ? [[method, handler as RouteHandler] as const] : [];
    });
    return {
      path: `/api/${folder.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, "{$1}")}`,
      file,
      handlers: Object.fromEntries(handlers),
    };
  });
  return Promise.all(routes);
}

/** The route of an address; a fixed folder comes before a parameter, as in the framework. */
function matchRoute(routes: readonly RestRoute[], pathname: string) {
  const parts = pathname.split("/");
  const matches = routes.flatMap((route) => {
    const pattern = route.path.split("/");
    if (pattern.length !== parts.length) return [];
    const params: Record<string, string> = {};
    const fits = pattern.every((piece, index) => {
      const part = parts[index] ?? "";
      if (!piece.startsWith("{")) return piece === part;
      params[piece.slice(1, -1)] = decoded(part);
      return part !== "";
    });
    return fits ? [{ route, params }] : [];
  });
  return matches.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
