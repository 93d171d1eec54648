import "server-only";
import type * as z from "zod";
import { hashApiTokenKey, makeApiTokenKey } from "../../db/api-token-key.ts";
import {
  type ApiToken,
  insertApiToken,
  listApiTokens,
  lockApiToken,
  revokeApiToken,
} from "../../db/queries/api-tokens.ts";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { tokenActor } from "../../db/schema/account.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import type { ApiTokenItem, ApiTokenList, CreatedApiToken, newTokenInput } from "./token-schema.ts";

const DAY_MS = 86_400_000;

/** The tokens whose event types all lie within the asker's. */
export function listTokens(asker: Asker): Promise<ApiTokenList> {
  return consoleDatabase().use(async (session) => ({
    asOf: (await readDatabaseNow(session)).toISOString(),
    items: (await listApiTokens(session)).filter((token) => reaches(asker, token)).map(itemOf),
  }));
}

/** Makes a token for the asker's event types or fewer. Its key is in this answer and nowhere else. */
export async function createToken(asker: Asker, input: z.output<typeof newTokenInput>): Promise<CreatedApiToken> {
  const scopes = asker.typesWithin(input.scopes);
  const key = makeApiTokenKey();
  const { name, role, expiresInDays } = input;
  const token = await consoleDatabase().retryingTransaction(async (session) => {
    const id = await insertApiToken(session, {
      name,
      tokenHash: hashApiTokenKey(key),
      role,
      scopes,
      createdBy: asker.actor,
      expiresInMs: expiresInDays === null ? undefined : expiresInDays * DAY_MS,
    });
    const made = await lockApiToken(session, id);
    if (!made) throw new Error(`the new token ${id} is not in the table`);
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "token.create",
      objectKind: "token",
      objectId: id,
      result: "ok",
      detail: { after: { name, role, scopes: scopes ?? null, expiresAt: made.expiresAt?.toISOString() ?? null } },
    });
    return made;
  });
  return { token: itemOf(token), key };
}

/** Ends a token; one that was revoked before stays as it is. @throws ConsoleError token_not_found */
export async function revokeToken(asker: Asker, id: string): Promise<ApiTokenItem> {
  const token = await consoleDatabase().retryingTransaction(async (session) => {
    const before = await lockApiToken(session, id);
    if (!before) throw new ConsoleError("token_not_found", `there is no token ${id}`);
    if (!reaches(asker, before)) throw new ConsoleError("out_of_scope", "this token is out of this account's scope");
    if (!(await revokeApiToken(session, id))) return before;
    const { name, role, scopes } = before;
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "token.revoke",
      objectKind: "token",
      objectId: id,
      result: "ok",
      detail: { before: { name, role, scopes: scopes ?? null } },
    });
    return (await lockApiToken(session, id)) ?? before;
  });
  return itemOf(token);
}

function reaches(asker: Asker, { scopes }: ApiToken): boolean {
  return asker.scopes === undefined || (scopes?.every((eventType) => asker.sees(eventType)) ?? false);
}

function itemOf(token: ApiToken): ApiTokenItem {
  return {
    ...token,
    actor: tokenActor(token.name),
    scopes: token.scopes === undefined ? undefined : [...token.scopes],
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString(),
    usedAt: token.usedAt?.toISOString(),
    revokedAt: token.revokedAt?.toISOString(),
  };
}
