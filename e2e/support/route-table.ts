import { createHash } from "node:crypto";
import type { Role } from "./accounts.ts";

/** Which roles have a permission: said here once more, so that a slip in the console's own table shows. */
export const ROLES_OF = {
  "tasks.read": ["viewer", "operator", "admin", "auditor"],
  "tasks.act": ["operator", "admin"],
  "tasks.edit": ["operator", "admin"],
  "payload.reveal": ["operator", "admin"],
  "lists.export": ["viewer", "operator", "admin", "auditor"],
  "bulk.act": ["operator", "admin"],
  "bulk.approve": ["admin"],
  "archive.replay": ["operator", "admin"],
  "audit.read": ["admin", "auditor"],
  "accounts.manage": ["admin"],
  "self.manage": ["viewer", "operator", "admin", "auditor"],
} as const satisfies Record<string, readonly Role[]>;

/** One way to ask the console, as a test of who may do it sees it. */
export interface RouteEntry {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** As the folders of app/ write it. A part in brackets is filled in from `sample`. */
  readonly path: string;
  /** Undefined: anybody may ask; the route has tests of its own. */
  readonly permission: keyof typeof ROLES_OF | undefined;
  /** A body that the route would take. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** What stands for the parts in brackets: `task` and `account` name rows that the test makes. */
  readonly sample?: Readonly<Record<string, "task" | "account" | string>>;
  /** What is asked for belongs to an event type: whoever is confined to another one is refused. */
  readonly isScoped?: true;
  /** Whoever is confined to some event types is refused, whichever they are. */
  readonly needsAllTypes?: true;
  /** It works while the console is read-only. */
  readonly evenReadOnly?: true;
  /** It asks a person who was asked too long ago to prove once more to be the one. */
  readonly asksAgain?: true;
}

/** The payload of a task that a test inserts without one, by content. */
const STORED_PAYLOAD_HASH = createHash("sha256").update("{}").digest("hex");
const FILTER = { state: "failed", eventTypes: ["PAY_ORDER"] };

/**
 * Every route of app/api. A route that is not here fails the test that walks the folders: add a line that says who may
 * use it, and the walk proves it.
 */
export const ROUTES: readonly RouteEntry[] = [
  ...(["GET", "POST", "PUT", "PATCH", "DELETE"] as const).map((method): RouteEntry => ({
    method,
    path: "/api/[...path]",
    permission: undefined,
    evenReadOnly: true,
  })),
  { method: "GET", path: "/api/health", permission: undefined },
  { method: "POST", path: "/api/v1/sign-in", permission: undefined, evenReadOnly: true },
  { method: "POST", path: "/api/v1/sign-in/link", permission: undefined, evenReadOnly: true },
  { method: "POST", path: "/api/v1/sign-in/link/use", permission: undefined },
  { method: "POST", path: "/api/v1/sign-in/oidc", permission: undefined, evenReadOnly: true },
  { method: "GET", path: "/api/v1/sign-in/oidc/callback", permission: undefined },
  { method: "POST", path: "/api/v1/sign-out", permission: "self.manage", evenReadOnly: true },
  { method: "GET", path: "/api/v1/me", permission: "self.manage" },
  {
    method: "POST",
    path: "/api/v1/me/password",
    permission: "self.manage",
    body: { current: "wrong password", password: "x7Fp2-kQ9vLm" },
  },
  { method: "POST", path: "/api/v1/me/confirm", permission: "self.manage", body: { password: "wrong password" } },
  { method: "GET", path: "/api/v1/me/sessions", permission: "self.manage" },
  { method: "DELETE", path: "/api/v1/me/sessions", permission: "self.manage" },
  {
    method: "DELETE",
    path: "/api/v1/me/sessions/[session]",
    permission: "self.manage",
    sample: { session: "0123456789abcdef" },
  },
  { method: "GET", path: "/api/v1/accounts", permission: "accounts.manage", needsAllTypes: true },
  {
    method: "POST",
    path: "/api/v1/accounts",
    permission: "accounts.manage",
    asksAgain: true,
    body: { name: "eve", role: "admin" },
    needsAllTypes: true,
  },
  {
    method: "PATCH",
    path: "/api/v1/accounts/[id]",
    permission: "accounts.manage",
    asksAgain: true,
    sample: { id: "account" },
    body: { role: "admin" },
    needsAllTypes: true,
  },
  {
    method: "POST",
    path: "/api/v1/accounts/[id]/link",
    permission: "accounts.manage",
    asksAgain: true,
    sample: { id: "account" },
    needsAllTypes: true,
  },
  {
    method: "GET",
    path: "/api/v1/accounts/[id]/sessions",
    permission: "accounts.manage",
    sample: { id: "account" },
    needsAllTypes: true,
  },
  {
    method: "DELETE",
    path: "/api/v1/accounts/[id]/sessions",
    permission: "accounts.manage",
    sample: { id: "account" },
    needsAllTypes: true,
  },
  {
    method: "DELETE",
    path: "/api/v1/accounts/[id]/sessions/[session]",
    permission: "accounts.manage",
    sample: { id: "account", session: "0123456789abcdef" },
    needsAllTypes: true,
  },
  { method: "GET", path: "/api/v1/overview", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/dashboard/actions", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/dashboard/causes", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/dashboard/series", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/dashboard/trends", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/event-types", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/causes", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/tasks", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/tasks/counts", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/tasks/newer", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/tasks/rows", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/tasks.csv", permission: "lists.export" },
  { method: "GET", path: "/api/v1/tasks/[id]", permission: "tasks.read", sample: { id: "task" } },
  { method: "GET", path: "/api/v1/tasks/[id]/attempts", permission: "tasks.read", sample: { id: "task" } },
  { method: "GET", path: "/api/v1/tasks/[id]/payload", permission: "tasks.read", sample: { id: "task" } },
  { method: "GET", path: "/api/v1/tasks/[id]/payload/download", permission: "tasks.read", sample: { id: "task" } },
  {
    method: "POST",
    path: "/api/v1/tasks/[id]/payload/reveal",
    permission: "payload.reveal",
    asksAgain: true,
    sample: { id: "task" },
    body: { reason: "why" },
    isScoped: true,
  },
  {
    method: "POST",
    path: "/api/v1/tasks/[id]/reset",
    permission: "tasks.act",
    sample: { id: "task" },
    body: {},
    isScoped: true,
  },
  // What these two need of the task, a failed one is not: what scopes mean to them, a test of their own says.
  {
    method: "POST",
    path: "/api/v1/tasks/[id]/undo-reset",
    permission: "tasks.act",
    sample: { id: "task" },
    body: { undoToken: "0123456789abcdef" },
  },
  { method: "POST", path: "/api/v1/tasks/[id]/run-now", permission: "tasks.act", sample: { id: "task" }, body: {} },
  {
    method: "POST",
    path: "/api/v1/tasks/[id]/cancel",
    permission: "tasks.act",
    sample: { id: "task" },
    body: {},
    isScoped: true,
  },
  {
    method: "POST",
    path: "/api/v1/tasks/[id]/edit-retry",
    permission: "tasks.edit",
    sample: { id: "task" },
    body: {
      payload: '{"edited":true}',
      basedOn: STORED_PAYLOAD_HASH,
      seen: { status: "failed", claimNo: 0 },
      reason: "why",
    },
    isScoped: true,
  },
  { method: "GET", path: "/api/v1/bulk", permission: "tasks.read" },
  {
    method: "POST",
    path: "/api/v1/bulk",
    permission: "bulk.act",
    body: { action: "reset", filter: FILTER, name: "again", reason: "why" },
    isScoped: true,
  },
  {
    method: "POST",
    path: "/api/v1/bulk/dry-run",
    permission: "bulk.act",
    body: { action: "reset", filter: FILTER },
    isScoped: true,
  },
  { method: "GET", path: "/api/v1/bulk/[id]", permission: "tasks.read", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/bulk/[id]/items", permission: "tasks.read", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/bulk/[id]/items.csv", permission: "lists.export", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/bulk/[id]/outcome", permission: "tasks.read", sample: { id: "1" } },
  { method: "POST", path: "/api/v1/bulk/[id]/abort", permission: "bulk.act", sample: { id: "1" }, body: {} },
  {
    method: "POST",
    path: "/api/v1/bulk/[id]/approve",
    permission: "bulk.approve",
    sample: { id: "1" },
    body: {},
    asksAgain: true,
  },
  {
    method: "POST",
    path: "/api/v1/bulk/[id]/pace",
    permission: "bulk.act",
    sample: { id: "1" },
    body: { ratePerSecond: 5 },
  },
  { method: "POST", path: "/api/v1/bulk/[id]/pause", permission: "bulk.act", sample: { id: "1" }, body: {} },
  { method: "POST", path: "/api/v1/bulk/[id]/resume", permission: "bulk.act", sample: { id: "1" }, body: {} },
  { method: "POST", path: "/api/v1/bulk/[id]/revert", permission: "bulk.act", sample: { id: "1" }, body: {} },
  { method: "GET", path: "/api/v1/archive", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/archive.csv", permission: "lists.export" },
  { method: "GET", path: "/api/v1/archive/count", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/archive/summary", permission: "tasks.read" },
  { method: "GET", path: "/api/v1/archive/[id]", permission: "tasks.read", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/archive/[id]/payload", permission: "tasks.read", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/archive/[id]/replay-check", permission: "archive.replay", sample: { id: "1" } },
  { method: "POST", path: "/api/v1/archive/[id]/replay", permission: "archive.replay", sample: { id: "1" }, body: {} },
  {
    method: "POST",
    path: "/api/v1/archive/bulk-replay",
    permission: "archive.replay",
    body: { filter: { eventTypes: ["PAY_ORDER"] }, name: "again", reason: "why" },
    isScoped: true,
  },
  {
    method: "POST",
    path: "/api/v1/archive/bulk-replay/dry-run",
    permission: "archive.replay",
    body: { filter: { eventTypes: ["PAY_ORDER"] } },
    isScoped: true,
  },
  { method: "GET", path: "/api/v1/saved-views", permission: "self.manage" },
  {
    method: "POST",
    path: "/api/v1/saved-views",
    permission: "self.manage",
    body: { page: "tasks", name: "mine", query: "state=failed" },
  },
  { method: "DELETE", path: "/api/v1/saved-views/[id]", permission: "self.manage", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/audit", permission: "audit.read" },
  { method: "GET", path: "/api/v1/audit.csv", permission: "audit.read" },
  { method: "GET", path: "/api/v1/audit/count", permission: "audit.read" },
  { method: "GET", path: "/api/v1/audit/[id]", permission: "audit.read", sample: { id: "1" } },
  { method: "GET", path: "/api/v1/tokens", permission: "accounts.manage" },
  {
    method: "POST",
    path: "/api/v1/tokens",
    permission: "accounts.manage",
    asksAgain: true,
    body: { name: "nightly", role: "viewer" },
  },
  {
    method: "POST",
    path: "/api/v1/tokens/[id]/revoke",
    permission: "accounts.manage",
    sample: { id: "1" },
    body: {},
  },
  { method: "GET", path: "/api/v1/openapi.json", permission: "self.manage" },
];
