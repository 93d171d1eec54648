import { consoleEnv } from "../../../_server/env.ts";
import { apiRoute } from "../../../_server/route.ts";
import { endedSessionCookie } from "../../../_server/session-cookie.ts";
import { signOut } from "../../../_server/sign-in.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute(
  "self.manage",
  async ({ asker }) => {
    await signOut(asker);
    return Response.json({}, { headers: { "Set-Cookie": endedSessionCookie(consoleEnv()) } });
  },
  { evenReadOnly: true },
);
