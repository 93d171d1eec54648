/** Every page of the console as the checks that run over all pages open it: a name and its path within the scene of `seedScene`. */
export const PAGES: readonly {
  readonly name: string;
  readonly path: string;
}[] = [
  { name: "overview", path: "/" },
  { name: "overview-24h", path: "/?range=24h" },
  { name: "tasks", path: "/tasks" },
  { name: "tasks-failed", path: "/tasks?state=failed" },
  // A failed task of the scene: its ids rise by 17.
  { name: "task", path: "/tasks/1970670598291001870" },
  { name: "causes", path: "/causes" },
  { name: "bulk", path: "/bulk" },
  { name: "archive", path: "/archive" },
  { name: "audit", path: "/audit" },
  { name: "accounts", path: "/accounts" },
  { name: "tokens", path: "/tokens" },
  { name: "confirm", path: "/sign-in/confirm?problem=provider_denied" },
];
