import "server-only";
import { passwordProblem } from "../../db/password-rules.ts";
import { ConsoleError } from "./console-error.ts";
import { hashInTurn } from "./password-work.ts";

/** The hash of a new password. @throws ConsoleError password_refused with the reason in `why`. */
export async function hashNewPassword(password: string, accountName: string): Promise<string> {
  const why = passwordProblem(password, accountName);
  if (why) throw new ConsoleError("password_refused", "the password cannot be taken", { details: { why } });
  return hashInTurn(password);
}
