import "server-only";
import { isReadOnlyServer } from "../../db/mysql-errors.ts";
import { readSessionOwner, touchSession } from "../../db/queries/sessions.ts";
import { bearerToken, checkContentType, checkHost, checkOrigin, isSameSecret } from "./access.ts";
import { Asker } from "./asker.ts";
import { clientAddress } from "./client-address.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { consoleEnv } from "./env.ts";
import { identifyToken } from "./identify-token.ts";
import { presentedSession } from "./session-cookie.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Whether a request may change something. */
export function isChange({ method }: Request): boolean {
  return !SAFE_METHODS.has(method);
}

/**
 * Who asks: a machine by its bearer token, else a person by the session of the browser. A token that is not known is
 * refused, even beside a good session. @throws ConsoleError not_signed_in, or what makes a change a foreign one.
 */
export async function identify(request: Request, requestId: string): Promise<Asker> {
  const { headers } = request;
  const bearer = bearerToken(headers);
  if (isChange(request)) {
    checkContentType(headers);
    // A page of another site cannot send a bearer token without being let by an answer that the console never gives.
    if (bearer === undefined) checkOrigin(headers, consoleEnv());
  }
  const asker =
    bearer === undefined
      ? await identifyPerson(headers, requestId)
      : ((await identifyToken(headers, requestId)) ?? identifyMachine(bearer, { headers, requestId }));
  if (asker) return asker;
  throw new ConsoleError("not_signed_in", "sign in, or send a token");
}

/**
 * The person whose session the request presents; undefined if it presents none, or one that has ended. A request that a
 * hidden page makes by itself is no use of it.
 */
export async function identifyPerson(headers: Headers, requestId: string): Promise<Asker | undefined> {
  const env = consoleEnv();
  const sessionHash = presentedSession(headers, env);
  if (sessionHash === undefined) return undefined;
  checkHost(headers, env);
  const owner = await consoleDatabase().use(async (session) => {
    const found = await readSessionOwner(session, sessionHash);
    const isUse = headers.get("x-unattended") === null;
    if (isUse && found?.isToTouch) await touchSession(session, sessionHash).catch(unlessReadOnly);
    return found;
  });
  if (!owner) return undefined;
  const { accountId, isExternal, confirmedMsAgo } = owner;
  return new Asker({
    actor: owner.name,
    actorKind: "person",
    role: owner.role,
    scopes: owner.scopes,
    ip: clientAddress(headers, env.trustedProxies),
    requestId,
    signedIn: { accountId, sessionHash, isExternal, confirmedMsAgo },
  });
}

function identifyMachine(
  bearer: string,
  { headers, requestId }: { readonly headers: Headers; readonly requestId: string },
): Asker | undefined {
  const env = consoleEnv();
  if (!isSameSecret(bearer, env.token)) return undefined;
  return new Asker({
    actor: "REDRIVE_CONSOLE_TOKEN",
    actorKind: "token",
    role: "admin",
    scopes: undefined,
    ip: clientAddress(headers, env.trustedProxies),
    requestId,
  });
}

/** After a failover the database may answer but not write for a while; whoever is signed in goes on reading. */
function unlessReadOnly(error: unknown): void {
  if (!isReadOnlyServer(error)) throw error;
}
