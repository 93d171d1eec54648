import "server-only";
import { randomUUID } from "node:crypto";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import type { Asker } from "./asker.ts";
import { ConsoleError } from "./console-error.ts";
import { identifyPerson } from "./identify.ts";
import { log } from "./log.ts";
import { toConsoleError } from "./problem.ts";

/** The path that a page was asked under, told by proxy.ts. It decides nothing but where a sign-in returns to. */
export const PATH_HEADER = "x-redrive-path";

/** Unknown: the database that knows is away. Such a page shows its frame; every request of it for data is refused. */
export type PageAsker =
  { readonly state: "signed_in"; readonly asker: Asker } | { readonly state: "signed_out" | "unknown" };

/** Who asks for the page; read once for all of its parts. */
export const readPageAsker = cache(async (): Promise<PageAsker> => {
  const requestId = randomUUID();
  try {
    const asker = await identifyPerson(await headers(), requestId);
    return asker ? { state: "signed_in", asker } : { state: "signed_out" };
  } catch (error) {
    // A foreign host name: nobody is signed in under it.
    if (error instanceof ConsoleError && error.code === "unknown_host") return { state: "signed_out" };
    const problem = toConsoleError(error);
    log.error({ requestId, code: problem.code, err: problem.cause ?? problem }, "who asks for a page is not known");
    return { state: "unknown" };
  }
});

/** Every page but that of the sign-in begins with this: whoever is not signed in is sent there, and back afterwards. */
export async function mustBeSignedIn(): Promise<void> {
  const { state } = await readPageAsker();
  if (state !== "signed_out") return;
  const path = (await headers()).get(PATH_HEADER) ?? "/";
  redirect(path === "/" ? "/sign-in" : `/sign-in?to=${encodeURIComponent(path)}`);
}
