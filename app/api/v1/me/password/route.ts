import { passwordInput } from "../../../../_server/account-input.ts";
import { changePassword } from "../../../../_server/change-password.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { apiRoute } from "../../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const POST = apiRoute("self.manage", async ({ request, asker }) =>
  changePassword(asker, parseInput(passwordInput, await readJson(request))),
);
