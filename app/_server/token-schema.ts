import * as z from "zod";
import { ROLES } from "../../db/schema/account.ts";
import { taskId } from "./task-input.ts";

export const apiTokenItem = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    actor: z.string().meta({ description: "as the history and the audit log name it" }),
    role: z.enum(ROLES),
    scopes: z.array(z.string()).optional().meta({ description: "the event types it is confined to; absent: all" }),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional().meta({ description: "absent: it never expires" }),
    usedAt: z.iso.datetime().optional().meta({ description: "the last use, to the minute" }),
    revokedAt: z.iso.datetime().optional(),
    state: z.enum(["active", "expired", "revoked"]),
  })
  .meta({ id: "ApiToken" });

export const apiTokenList = z
  .strictObject({ asOf: z.iso.datetime(), items: z.array(apiTokenItem) })
  .meta({ id: "ApiTokenList" });

export const createdApiToken = z
  .strictObject({
    token: apiTokenItem,
    key: z.string().meta({ description: "the key itself: shown this once and stored nowhere" }),
  })
  .meta({ id: "CreatedApiToken" });

export const TOKEN_NAME_MAX = 48;
export const TOKEN_DAYS_MAX = 3_650;

/** What `POST /api/v1/tokens` takes. */
export const newTokenInput = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(TOKEN_NAME_MAX)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, "holds characters that cannot be seen"),
  role: z.enum(ROLES),
  scopes: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(500)
    .transform((names) => [...new Set(names)])
    .optional(),
  /** null: never. */
  expiresInDays: z.int().min(1).max(TOKEN_DAYS_MAX).nullable().default(90),
});

/** What `POST /api/v1/tokens/{id}/revoke` takes. */
export const revokeTokenInput = z.strictObject({});

export const tokenId = taskId;

export type ApiTokenItem = z.infer<typeof apiTokenItem>;
export type ApiTokenList = z.infer<typeof apiTokenList>;
export type CreatedApiToken = z.infer<typeof createdApiToken>;
