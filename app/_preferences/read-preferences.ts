import "server-only";
import { cookies } from "next/headers";
import {
  chosenOf,
  KEYS_CHOICES,
  KEYS_COOKIE,
  type KeysChoice,
  NAV_CHOICES,
  NAV_COOKIE,
  type NavChoice,
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
  readonly nav: NavChoice;
}

/** How the person of this request likes the console to look and to be used. */
export async function readPreferences(): Promise<Preferences> {
  const jar = await cookies();
  return {
    theme: chosenOf(THEMES, jar.get(THEME_COOKIE)?.value),
    zoneChoice: chosenOf(ZONE_CHOICES, jar.get(ZONE_COOKIE)?.value),
    keys: chosenOf(KEYS_CHOICES, jar.get(KEYS_COOKIE)?.value),
    nav: chosenOf(NAV_CHOICES, jar.get(NAV_COOKIE)?.value),
  };
}
