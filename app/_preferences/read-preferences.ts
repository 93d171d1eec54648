import "server-only";
import { cookies } from "next/headers";
import { chosenOf, type Theme, THEME_COOKIE, THEMES, ZONE_CHOICES, ZONE_COOKIE, type ZoneChoice } from "./choices.ts";

/** How the person of this request likes the console to look. */
export async function readPreferences(): Promise<{ readonly theme: Theme; readonly zoneChoice: ZoneChoice }> {
  const jar = await cookies();
  return {
    theme: chosenOf(THEMES, jar.get(THEME_COOKIE)?.value),
    zoneChoice: chosenOf(ZONE_CHOICES, jar.get(ZONE_COOKIE)?.value),
  };
}
