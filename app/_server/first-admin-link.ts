import "server-only";
import { hasAccount } from "../../db/queries/accounts.ts";
import { insertSignInLink } from "../../db/queries/sign-in-links.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import { consoleDatabase } from "./database.ts";
import { consoleEnv } from "./env.ts";
import { log } from "./log.ts";

const AGAIN_MS = 5_000;

/**
 * While there is no account at all, the log of a starting console holds a one-time link with which the first admin
 * chooses a name and a password: whoever reads the log runs the console. A database that is away or not migrated yet is
 * asked again until it answers.
 */
export function offerFirstAdminLink(): void {
  // Where people sign in by their provider only, the provider says who is an admin.
  if (!consoleEnv().takesPasswords) return;
  void offer().catch((error: unknown) => {
    log.warn({ err: error }, "whether there is an account is not known yet");
    setTimeout(offerFirstAdminLink, AGAIN_MS).unref();
  });
}

async function offer(): Promise<void> {
  const token = newSecretToken();
  const link = await consoleDatabase().transaction(async (session) =>
    (await hasAccount(session))
      ? undefined
      : insertSignInLink(session, { tokenHash: tokenHash(token), accountId: undefined }),
  );
  if (!link) return;
  const origin = consoleEnv().publicOrigin ?? `http://localhost:${process.env["PORT"] ?? "3000"}`;
  log.warn(
    {
      url: `${origin}${process.env.REDRIVE_BASE_PATH ?? ""}/sign-in/link#${token}`,
      until: link.expiresAt.toISOString(),
    },
    "there is no account yet: make the first admin with this link, which works once, or with `npm run redrive -- user add`",
  );
}
