import * as z from "zod";
import { ROLES } from "../../db/schema/account.ts";
import { taskId } from "./task-input.ts";

/** Longer than any password that is taken, short enough to be hashed. */
const PASSWORD_CHARACTERS_MAX = 1_024;
const SCOPES_MAX = 200;

const password = z.string().min(1).max(PASSWORD_CHARACTERS_MAX);
const linkToken = z.string().regex(/^[\w-]{43}$/, "is not the token of a link");

/** Event types that an account is confined to; null: all. */
const scopes = z.array(z.string().min(1).max(64)).max(SCOPES_MAX).nullable();

/** An account's id is a decimal like that of a task. */
export const accountId = taskId;

export const sessionName = z.string().regex(/^[0-9a-f]{16}$/, "is not the id of a session");

/** What `POST /api/v1/sign-in` takes. */
export const signInInput = z.strictObject({ name: z.string().trim().normalize("NFC").min(1).max(256), password });

/** What `POST /api/v1/sign-in/link` takes. */
export const linkInput = z.strictObject({ token: linkToken });

/** What `POST /api/v1/sign-in/link/use` takes; `name` with a link for the first admin. */
export const linkUseInput = z.strictObject({ token: linkToken, name: z.string().max(256).optional(), password });

/** What `POST /api/v1/sign-in/oidc` takes; `to` is the page of the console to go to afterwards. */
export const oidcInput = z.strictObject({
  to: z.string().max(2_000).default("/"),
  purpose: z.enum(["sign_in", "confirm"]).default("sign_in"),
});

/** What `POST /api/v1/me/password` takes. */
export const passwordInput = z.strictObject({ current: password, password });

/** What `POST /api/v1/me/confirm` takes. */
export const confirmInput = z.strictObject({ password });

/** What `POST /api/v1/accounts` takes. */
export const newAccountInput = z.strictObject({
  name: z.string().max(256),
  role: z.enum(ROLES),
  scopes: scopes.default(null),
});

/** What `PATCH /api/v1/accounts/{id}` takes: what is left out stays. */
export const accountChangeInput = z
  .strictObject({ role: z.enum(ROLES).optional(), scopes: scopes.optional(), isDisabled: z.boolean().optional() })
  .refine((change) => Object.keys(change).length > 0, "names no change");
