import { linkInput } from "../../../../_server/account-input.ts";
import { parseInput, readJson } from "../../../../_server/read-input.ts";
import { openRoute } from "../../../../_server/route.ts";
import { describeLink } from "../../../../_server/sign-in-link.ts";
import { readVisitor } from "../../../../_server/sign-in.ts";

export const dynamic = "force-dynamic";

/** What a one-time link is for. A POST, so that its token is in no address. */
export const POST = openRoute(async ({ request, requestId }) => {
  readVisitor(request, requestId);
  return describeLink(parseInput(linkInput, await readJson(request)).token);
});
