import { accountOperations } from "./accounts.ts";
import { archiveOperations } from "./archive.ts";
import { auditOperations } from "./audit.ts";
import { bulkReplayOperations } from "./bulk-replay.ts";
import { bulkOperations } from "./bulk.ts";
import { causeOperations } from "./causes.ts";
import { dashboardOperations } from "./dashboard.ts";
import { metaOperations } from "./meta.ts";
import type { Operation } from "./operation.ts";
import { savedViewOperations } from "./saved-views.ts";
import { signInOperations } from "./sign-in.ts";
import { taskDetailOperations } from "./task.ts";
import { taskOperations } from "./tasks.ts";
import { tokenOperations } from "./tokens.ts";

/**
 * All operations of the API. A route joins them so: write a zod schema of its answer (`.meta({ id: "Name" })` makes it a
 * named component), or reuse it if the route's types come from one; list method, path, permission and the schemas with
 * which the route reads its input in `openapi/<area>.ts` as `<area>Operations`; add that list here; and add a call that
 * finds or changes something to `openapi.test.ts`. That test names every route that lacks a description, every
 * description without a route, a permission that differs from the route's, and an answer that its schema does not admit.
 */
export const OPERATIONS: readonly Operation[] = [
  ...dashboardOperations,
  ...taskOperations,
  ...taskDetailOperations,
  ...causeOperations,
  ...bulkOperations,
  ...bulkReplayOperations,
  ...archiveOperations,
  ...auditOperations,
  ...savedViewOperations,
  ...signInOperations,
  ...accountOperations,
  ...tokenOperations,
  ...metaOperations,
];
