import { linkUseInput } from "../../../../../_server/account-input.ts";
import { ConsoleError } from "../../../../../_server/console-error.ts";
import { consoleEnv } from "../../../../../_server/env.ts";
import { parseInput, readJson } from "../../../../../_server/read-input.ts";
import { openRoute } from "../../../../../_server/route.ts";
import { sessionCookie } from "../../../../../_server/session-cookie.ts";
import { takeLink } from "../../../../../_server/sign-in-link.ts";
import { readVisitor } from "../../../../../_server/sign-in.ts";

export const dynamic = "force-dynamic";

export const POST = openRoute(async ({ request, requestId }) => {
  const visitor = readVisitor(request, requestId);
  if (consoleEnv().isReadOnly) throw new ConsoleError("read_only", "the console is read-only");
  const { token, name, password } = parseInput(linkUseInput, await readJson(request));
  const signedIn = await takeLink(visitor, { token, name, password });
  return Response.json({}, { headers: { "Set-Cookie": sessionCookie(signedIn.token, consoleEnv()) } });
});
