import { signInInput } from "../../../_server/account-input.ts";
import { consoleEnv } from "../../../_server/env.ts";
import { parseInput, readJson } from "../../../_server/read-input.ts";
import { openRoute } from "../../../_server/route.ts";
import { sessionCookie } from "../../../_server/session-cookie.ts";
import { readVisitor, signIn } from "../../../_server/sign-in.ts";

export const dynamic = "force-dynamic";

export const POST = openRoute(async ({ request, requestId }) => {
  const visitor = readVisitor(request, requestId);
  const { token } = await signIn(visitor, parseInput(signInInput, await readJson(request)));
  return Response.json({}, { headers: { "Set-Cookie": sessionCookie(token, consoleEnv()) } });
});
