import "server-only";
import { carriesToken, checkMayAct, checkMayRead } from "./access.ts";
import { Asker } from "./asker.ts";
import { consoleEnv } from "./env.ts";
import { identifyToken } from "./identify-token.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Who asks. @throws ConsoleError unless the request may read, or act if its method changes something. */
export async function identify(request: Request, requestId: string): Promise<Asker> {
  const machine = await identifyToken(request.headers, requestId);
  if (machine) return machine;
  const env = consoleEnv();
  const check = SAFE_METHODS.has(request.method) ? checkMayRead : checkMayAct;
  check(request.headers, env);
  const isToken = carriesToken(request.headers, env);
  return new Asker({
    actor: "console",
    actorKind: isToken ? "token" : "person",
    role: "admin",
    scopes: undefined,
    ip: request.headers.get("x-forwarded-for")?.split(",")[0]?.trim(),
    requestId,
  });
}
