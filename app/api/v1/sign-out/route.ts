import { leave } from "../../../_server/leave.ts";
import { apiRoute } from "../../../_server/route.ts";
import { signOut } from "../../../_server/sign-in.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute(
  "self.manage",
  async ({ request, asker }) => {
    await signOut(asker);
    const { next, cookies } = await leave(request.headers, asker);
    return Response.json({ next }, { headers: cookies.map((cookie): [string, string] => ["Set-Cookie", cookie]) });
  },
  { evenReadOnly: true },
);
