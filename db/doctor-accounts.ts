import { RESERVED_PREFIXES } from "./account-name.ts";
import type { DoctorCheck } from "./doctor.ts";
import { findNamesBeginning } from "./queries/accounts.ts";
import type { Session } from "./session.ts";

/** Accounts whose deeds would read like those of a machine's token or of a provider; none can be made any more. */
export async function checkAccountNames(session: Session): Promise<DoctorCheck> {
  const id = "account_names";
  const names = await findNamesBeginning(session, RESERVED_PREFIXES);
  if (names.length === 0) return { id, level: "ok", finding: "no account is named like a machine", advice: "" };
  return {
    id,
    level: "warn",
    finding: `accounts named like a machine or a provider: ${names.map((name) => JSON.stringify(name)).join(", ")}`,
    advice: "make these people accounts of another name, and disable these: redrive user disable NAME",
  };
}
