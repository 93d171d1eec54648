export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const THEME_COOKIE = "redrive_theme";

export const ZONE_CHOICES = ["local", "utc"] as const;
export type ZoneChoice = (typeof ZONE_CHOICES)[number];
export const ZONE_COOKIE = "redrive_zone";

/** Whether single letters act: a person who speaks to the browser, or types with a tremor, turns them off. */
export const KEYS_CHOICES = ["on", "off"] as const;
export type KeysChoice = (typeof KEYS_CHOICES)[number];
export const KEYS_COOKIE = "redrive_keys";

export const NAV_CHOICES = ["open", "collapsed"] as const;
export type NavChoice = (typeof NAV_CHOICES)[number];
export const NAV_COOKIE = "redrive_nav";

/** A choice read from a cookie; anything unknown counts as the first of the choices. */
export function chosenOf<Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
  text: string | undefined,
): Choice {
  return choices.find((choice) => choice === text) ?? choices[0];
}
