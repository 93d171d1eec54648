"use client";

import { createContext, type ReactNode, use, useMemo, useState, useSyncExternalStore } from "react";
import { ZONE_COOKIE, type ZoneChoice } from "../_preferences/choices.ts";
import { rememberPreference } from "../_preferences/remember-preference.ts";

interface Zone {
  /** The zone that times are shown in; undefined until the browser has told its own. */
  readonly timeZone: string | undefined;
  readonly choice: ZoneChoice;
  readonly choose: (choice: ZoneChoice) => void;
}

const ZoneContext = createContext<Zone>({ timeZone: undefined, choice: "local", choose: () => undefined });

const never = () => () => undefined;

export function ZoneProvider({ initial, children }: { initial: ZoneChoice; children: ReactNode }) {
  const [choice, setChoice] = useState(initial);
  const local = useSyncExternalStore<string | undefined>(
    never,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    () => undefined,
  );
  const zone = useMemo<Zone>(
    () => ({
      timeZone: choice === "utc" ? "UTC" : local,
      choice,
      choose: (next) => {
        rememberPreference(ZONE_COOKIE, next);
        setChoice(next);
      },
    }),
    [choice, local],
  );
  return <ZoneContext value={zone}>{children}</ZoneContext>;
}

export function useZone(): Zone {
  return use(ZoneContext);
}
