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
}

/**
 * Every route of app/api. A route that is not here fails the test that walks the folders: add a line that says who may
 * use it, and the walk proves it.
 */
export const ROUTES: readonly RouteEntry[] = [
  { method: "GET", path: "/api/health", permission: undefined },
  { method: "POST", path: "/api/v1/sign-in", permission: undefined, evenReadOnly: true },
  { method: "POST", path: "/api/v1/sign-in/link", permission: undefined, evenReadOnly: true },
  { method: "POST", path: "/api/v1/sign-in/link/use", permission: undefined },
  { method: "POST", path: "/api/v1/sign-out", permission: "self.manage", evenReadOnly: true },
  { method: "GET", path: "/api/v1/me", permission: "self.manage" },
  {
    method: "POST",
    path: "/api/v1/me/password",
    permission: "self.manage",
    body: { current: "wrong password", password: "x7Fp2-kQ9vLm" },
  },
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
    body: { name: "eve", role: "admin" },
    needsAllTypes: true,
  },
  {
    method: "PATCH",
    path: "/api/v1/accounts/[id]",
    permission: "accounts.manage",
    sample: { id: "account" },
    body: { role: "admin" },
    needsAllTypes: true,
  },
  {
    method: "POST",
    path: "/api/v1/accounts/[id]/link",
    permission: "accounts.manage",
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
  { method: "GET", path: "/api/v1/tasks", permission: "tasks.read" },
  {
    method: "POST",
    path: "/api/v1/tasks/[id]/reset",
    permission: "tasks.act",
    sample: { id: "task" },
    body: {},
    isScoped: true,
  },
];
