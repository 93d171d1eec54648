import { auditOperations } from "./audit.ts";
import { metaOperations } from "./meta.ts";
import type { Operation } from "./operation.ts";
import { taskOperations } from "./tasks.ts";
import { tokenOperations } from "./tokens.ts";

/**
 * All operations of the API. A route joins them so: write a zod schema of its answer (`.meta({ id: "Name" })` makes it a
 * named component), or reuse it if the route's types come from one; list method, path, permission and the schemas with
 * which the route reads its input in `openapi/<area>.ts` as `<area>Operations`; add that list here; and, for a GET, add a
 * call that finds something to `EXAMPLES` in `openapi.test.ts`. That test names every route that lacks a description, every description without a
 * route, a permission that differs from the route's, and an answer that its schema does not admit.
 */
export const OPERATIONS: readonly Operation[] = [
  ...taskOperations,
  ...auditOperations,
  ...tokenOperations,
  ...metaOperations,
];
