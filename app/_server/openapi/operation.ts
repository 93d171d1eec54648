import type * as z from "zod";
import type { ProblemCode } from "../console-error.ts";
import type { Permission } from "../permissions.ts";

/** One method of one route, as the API document describes it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the parameters of the path in braces: `/api/v1/tasks/{id}/reset`. */
  readonly path: string;
  /** A name for generated clients, unique: `resetTask`. */
  readonly id: string;
  readonly summary: string;
  /** The same that the route names; `anyone` needs no sign-in. */
  readonly permission: Permission | "anyone";
  readonly params?: Readonly<Record<string, z.ZodType>>;
  /** The schemas with which the route reads its input. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The schema of the JSON answer, the type of another file, or where the answer sends a browser. */
  readonly answer: z.ZodType | { readonly mediaType: string } | { readonly redirect: string };
  /** The problems of this operation, beside those that any may have. */
  readonly problems?: readonly ProblemCode[];
}
