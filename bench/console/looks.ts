import type { ConsoleClient } from "./client.ts";
import { CAUSES, eventTypes, keyOf, LIVE_ID, TYPES } from "./seed-plan.ts";
import type { SeedSize, Seeded } from "./seed.ts";

/** One kind of request that a person waits for. */
export interface Look {
  /** What the budget is for: list, counts, dashboard, detail, archive, page. */
  readonly group: string;
  readonly name: string;
  /** p95 in milliseconds that it must stay under; undefined: none was set. */
  readonly budgetMs?: number;
  /** The n-th look; each asks for another place. */
  look(client: ConsoleClient, n: number): Promise<unknown>;
}

interface PageOfTasks {
  readonly items: readonly { readonly id: string }[];
  readonly nextCursor?: string;
  readonly startCursor?: string;
  readonly scanned: number;
  readonly exhausted: boolean;
}

const STATES = ["all", "due", "scheduled", "running", "retrying", "failed", "stuck", "succeeded", "cancelled"];
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A number from 0 to 1 that looks random and is the same in each run. */
export function chance(n: number, salt: number): number {
  let hash = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const typeOf = (n: number) => `TYPE_${Math.floor(chance(n, 29) ** 2 * TYPES)}`;
const causeOf = (n: number) => (Math.floor(chance(n, 23) ** 3 * CAUSES) + 4096).toString(16).padStart(16, "0");

/** Pages of the list are followed to their tenth before they are timed, so that cursors are met as people meet them. */
const DEPTH = 10;

export async function looksOf(client: ConsoleClient, size: SeedSize, seeded: Seeded): Promise<Look[]> {
  return [
    ...(await listLooks(client, size, seeded)),
    ...dashboardLooks(),
    ...detailLooks(size),
    ...archiveLooks(size, seeded),
  ];
}

async function listLooks(client: ConsoleClient, size: SeedSize, { base }: Seeded): Promise<Look[]> {
  const list = (name: string, queryOf: (n: number) => Record<string, string>): Look => ({
    group: "list",
    name,
    budgetMs: 150,
    look: (one, n) => one.get(`/api/v1/tasks?${new URLSearchParams(queryOf(n)).toString()}`),
  });
  const hour = (n: number) => {
    const from = base.getTime() - (1 + Math.floor(chance(n, 31) * 150)) * HOUR_MS;
    return { createdFrom: new Date(from).toISOString(), createdTo: new Date(from + HOUR_MS).toISOString() };
  };
  const anyId = (n: number) => LIVE_ID + Math.floor(chance(n, 37) * size.rows);
  const failed = await deepPages(client, "state=failed");
  const succeeded = await deepPages(client, `state=succeeded&eventType=${eventTypes[0] ?? ""}`);
  const deep = (name: string, pages: readonly string[]): Look => ({
    group: "list",
    name,
    budgetMs: 150,
    look: (one, n) => one.get(pages[n % pages.length] ?? "/api/v1/tasks"),
  });
  const { items, startCursor } = await client.get<PageOfTasks>("/api/v1/tasks?state=due");
  const ids = items.map(({ id }) => id).join(",");
  return [
    ...STATES.map((state) => list(`tab ${state}`, () => ({ state }))),
    ...STATES.map((state) => list(`tab ${state}, one type`, (n) => ({ state, eventType: typeOf(n) }))),
    deep("failed, pages 2 to 10", failed),
    deep("succeeded of one type, pages 2 to 10", succeeded),
    list("200 rows of tab failed", () => ({ state: "failed", limit: "200" })),
    list("biz key", (n) => ({ bizKey: keyOf(anyId(n)) })),
    list("biz key prefix", (n) => ({ bizKeyPrefix: keyOf(anyId(n)).slice(0, -3) })),
    list("50 ids", (n) => ({ ids: Array.from({ length: 50 }, (_, more) => String(anyId(n * 50 + more))).join(",") })),
    list("failed of one cause", (n) => ({ state: "failed", cause: causeOf(n) })),
    list("failed of one cause and type", (n) => ({ state: "failed", cause: causeOf(n), eventType: typeOf(n) })),
    wholePage("retrying of one type, until the page is full", (n) => ({ state: "retrying", eventType: typeOf(n) })),
    wholePage("failed of one cause and type, until the page is full", (n) => ({
      ...{ state: "failed", cause: causeOf(n), eventType: typeOf(n) },
    })),
    list("text in the error", (n) => ({ state: "failed", errorText: `upstream answered ${500 + (n % 5)}` })),
    list("of one worker, running", () => ({ state: "running", worker: "bench-worker-0" })),
    list("retrying, 3 attempts or more", () => ({ state: "retrying", minAttempts: "3" })),
    list("recycled, failed", () => ({ state: "failed", recycled: "true" })),
    list("overdue for an hour", () => ({ state: "due", overdueSeconds: "3600" })),
    list("failed, made within one hour", (n) => ({ state: "failed", ...hour(n) })),
    list("succeeded of one type, made within one hour", (n) => ({
      state: "succeeded",
      eventType: typeOf(n),
      ...hour(n),
    })),
    {
      group: "list",
      name: "how 50 rows stand now",
      budgetMs: 150,
      look: (one) => one.get(`/api/v1/tasks/rows?ids=${ids}`),
    },
    {
      group: "list",
      name: "how many are newer",
      budgetMs: 150,
      look: (one) => one.get(`/api/v1/tasks/newer?state=due&cursor=${encodeURIComponent(startCursor ?? "")}`),
    },
    {
      group: "counts",
      name: "all states, seven types",
      // Another set of types each time: what the console keeps for five seconds does not answer.
      look: (one, n) => one.get(`/api/v1/tasks/counts?eventType=${someTypes(n).join(",")}`),
    },
    {
      group: "counts",
      name: "all states of one cause",
      look: (one, n) => one.get(`/api/v1/tasks/counts?cause=${causeOf(n)}`),
    },
  ];
}

const PAGE_ROWS = 50;
/** Rows that the page of the console looks at by itself. */
const LOOKED_ROWS_MAX = 8_000;

/** A page as the console shows it in the end: answer by answer, each of which goes on where the one before ended. */
function wholePage(name: string, queryOf: (n: number) => Record<string, string>): Look {
  return {
    group: "whole list",
    name,
    look: async (client, n) => {
      const words = new URLSearchParams(queryOf(n));
      let [rows, scanned] = [0, 0];
      for (;;) {
        const page = await client.get<PageOfTasks>(`/api/v1/tasks?${words.toString()}`);
        rows += page.items.length;
        scanned += page.scanned;
        const isDone =
          page.exhausted || page.nextCursor === undefined || rows >= PAGE_ROWS || scanned >= LOOKED_ROWS_MAX;
        if (isDone) return { exhausted: page.exhausted };
        words.set("cursor", page.nextCursor);
        words.set("limit", String(PAGE_ROWS - rows));
      }
    },
  };
}

async function deepPages(client: ConsoleClient, query: string): Promise<string[]> {
  const pages: string[] = [];
  let { nextCursor } = await client.get<PageOfTasks>(`/api/v1/tasks?${query}`);
  while (nextCursor !== undefined && pages.length < DEPTH - 1) {
    const path = `/api/v1/tasks?${query}&cursor=${encodeURIComponent(nextCursor)}`;
    pages.push(path);
    nextCursor = (await client.get<PageOfTasks>(path)).nextCursor;
  }
  return pages.length > 0 ? pages : [`/api/v1/tasks?${query}`];
}

/** Seven of the types, another choice for each number below 3,432. */
function someTypes(n: number): string[] {
  const ranked = eventTypes.map((name, index) => ({ name, rank: chance(n, 41 + index) }));
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, 7)
    .map(({ name }) => name)
    .sort();
}

function dashboardLooks(): Look[] {
  const parts = [
    "trends",
    "series?range=1h",
    "series?range=6h",
    "series?range=24h",
    "series?range=7d",
    "causes",
    "actions",
  ];
  const paths = ["/api/v1/overview", ...parts.map((part) => `/api/v1/dashboard/${part}`)];
  return paths.map((path) => ({
    group: "dashboard",
    name: path.replace(/^\/api\/v1\/(dashboard\/)?/, ""),
    budgetMs: 100,
    look: (one) => one.get(path, { fresh: true }),
  }));
}

function detailLooks({ rows }: SeedSize): Look[] {
  const detail = (name: string, end: string): Look => ({
    group: "detail",
    name,
    budgetMs: 100,
    look: (one, n) => one.get(`/api/v1/tasks/${LIVE_ID + Math.floor(chance(n, 43) * rows)}${end}`),
  });
  return [
    detail("one task", ""),
    detail("its history", "/attempts"),
    detail("its payload", "/payload"),
    { group: "page", name: "overview", look: (one) => one.page("/") },
    { group: "page", name: "tasks", look: (one) => one.page("/tasks") },
    { group: "page", name: "archive", look: (one) => one.page("/archive") },
  ];
}

function archiveLooks({ archived }: SeedSize, { archiveEnd }: Seeded): Look[] {
  const week = (n: number) => {
    const to = archiveEnd.getTime() - Math.floor(chance(n, 13) * 80) * DAY_MS;
    return { from: new Date(to - 7 * DAY_MS).toISOString(), to: new Date(to).toISOString() };
  };
  const month = {
    from: new Date(archiveEnd.getTime() - 31 * DAY_MS).toISOString(),
    to: archiveEnd.toISOString(),
  };
  const anyRow = (n: number) => Math.floor(chance(n, 17) * archived);
  const query = (path: string, values: Record<string, string>) =>
    `/api/v1/archive${path}?${new URLSearchParams(values).toString()}`;
  const browse = (name: string, queryOf: (n: number) => Record<string, string>): Look => ({
    group: "archive",
    name,
    look: (one, n) => one.get(query("", queryOf(n))),
  });
  const anywhere = (name: string, end: string): Look => ({
    group: "archive",
    name,
    look: (one, n) => one.get(`/api/v1/archive/${anyRow(n) + 1}${end}`),
  });
  return [
    browse("all types, 7 days", week),
    browse("one type, 7 days", (n) => ({ ...week(n), eventType: typeOf(n) })),
    browse("one type, 31 days", (n) => ({ ...month, eventType: typeOf(n) })),
    browse("one type, failed, 7 days", (n) => ({ ...week(n), eventType: typeOf(n), state: "failed" })),
    browse("one cause, 31 days", (n) => ({ ...month, cause: causeOf(n) })),
    browse("biz key, all days", (n) => ({ bizKey: keyOf(anyRow(n)) })),
    browse("id, all days", (n) => ({ id: String(anyRow(n) + 1) })),
    anywhere("one task", ""),
    anywhere("its payload", "/payload"),
    { group: "archive", name: "count, 7 days", look: (one, n) => one.get(query("/count", week(n))) },
    { group: "archive", name: "summary", look: (one) => one.get("/api/v1/archive/summary") },
  ];
}
