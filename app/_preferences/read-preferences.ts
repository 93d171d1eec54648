import "server-only";
import { cookies } from "next/headers";
import {
  chosenOf,
  KEYS_CHOICES,
  KEYS_COOKIE,
  type KeysChoice,
  type Theme,
  THEME_COOKIE,
  THEMES,
  ZONE_CHOICES,
  ZONE_COOKIE,
  type ZoneChoice,
} from "./choices.ts";

export interface Preferences {
  readonly theme: Theme;
  readonly zoneChoice: ZoneChoice;
  readonly keys: KeysChoice;
}

/** How the person of this request likes the console to look and to be used. */
export async function readPreferences(): Promise<Preferences> {
  const jar = await cookies();
  return {
    theme: chosenOf(THEMES, jar.get(THEME_COOKIE)?.value),
    zoneChoice: chosenOf(ZONE_CHOICES, jar.get(ZONE_COOKIE)?.value),
    keys: chosenOf(KEYS_CHOICES, jar.get(KEYS_COOKIE)?.value),
  };
}
