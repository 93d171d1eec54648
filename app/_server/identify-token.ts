import "server-only";
import { hashApiTokenKey, isApiTokenKey } from "../../db/api-token-key.ts";
import { findApiToken, touchApiToken } from "../../db/queries/api-tokens.ts";
import { tokenActor } from "../../db/schema/account.ts";
import { Asker } from "./asker.ts";
import { clientAddress } from "./client-address.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { consoleEnv } from "./env.ts";
import { log } from "./log.ts";

const BEARER = /^Bearer (rdv_.*)$/i;

/**
 * The machine that asks, if the request carries a key of the API (`Authorization: Bearer rdv_…`); undefined if it
 * carries none. Such a request needs no check of its origin: no page of another site can make a browser send the header.
 * @throws ConsoleError not_signed_in for a key that is unknown, expired or revoked; never anything less strict.
 */
export async function identifyToken(headers: Headers, requestId: string): Promise<Asker | undefined> {
  const key = BEARER.exec(headers.get("authorization") ?? "")?.[1]?.trim();
  if (key === undefined) return undefined;
  const database = consoleDatabase();
  const found = isApiTokenKey(key)
    ? await database.use((session) => findApiToken(session, hashApiTokenKey(key)))
    : undefined;
  if (found?.token.state !== "active") {
    throw new ConsoleError("not_signed_in", "this API token is unknown, expired or revoked");
  }
  const { token, isToTouch } = found;
  if (isToTouch) await noteUse(token.id, requestId);
  return new Asker({
    actor: tokenActor(token.name),
    actorKind: "token",
    role: token.role,
    scopes: token.scopes,
    ip: clientAddress(headers, consoleEnv().trustedProxies),
    requestId,
  });
}

/** A server that takes no writes at the moment still answers reads. */
async function noteUse(id: string, requestId: string): Promise<void> {
  try {
    await consoleDatabase().use((session) => touchApiToken(session, id));
  } catch (error) {
    log.warn({ requestId, tokenId: id, err: error }, "the use of an API token was not noted");
  }
}
