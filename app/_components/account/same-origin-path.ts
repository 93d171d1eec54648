/** Stands for the console's own origin, whatever that is. */
const OWN = "http://console.invalid";

/**
 * The path, query and fragment of an address within the console; the overview for anything else. `//evil.example`, a
 * backslash, a scheme or a line break in it lead nowhere.
 */
export function sameOriginPath(text: string | null | undefined): string {
  if (!text?.startsWith("/") || !URL.canParse(text, OWN)) return "/";
  const { origin, pathname, search, hash } = new URL(text, OWN);
  const path = `${pathname}${search}${hash}`;
  const isOwn = origin === OWN && !path.startsWith("//") && !isSignIn(pathname);
  return isOwn ? path : "/";
}

/** Whoever has signed in is not sent back to where one signs in. */
function isSignIn(pathname: string): boolean {
  return pathname === "/sign-in" || pathname.startsWith("/sign-in/");
}
