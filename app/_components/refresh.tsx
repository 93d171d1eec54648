"use client";

import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";

interface Refresh {
  /** One switch for the interval and for every refetch on focus or reconnect. */
  readonly isPaused: boolean;
  /** True if a dialog, not the person, holds the refresh. */
  readonly isHeld: boolean;
  readonly setPausedByPerson: (isPaused: boolean) => void;
  readonly hold: () => () => void;
}

const RefreshContext = createContext<Refresh>({
  isPaused: false,
  isHeld: false,
  setPausedByPerson: () => undefined,
  hold: () => () => undefined,
});

export function RefreshProvider({ children }: { children: ReactNode }) {
  const [isPausedByPerson, setPausedByPerson] = useState(false);
  const [holds, setHolds] = useState(0);
  const hold = useCallback(() => {
    setHolds((count) => count + 1);
    return () => setHolds((count) => count - 1);
  }, []);
  const refresh = useMemo<Refresh>(
    () => ({
      isPaused: isPausedByPerson || holds > 0,
      isHeld: !isPausedByPerson && holds > 0,
      setPausedByPerson,
      hold,
    }),
    [hold, isPausedByPerson, holds],
  );
  return <RefreshContext value={refresh}>{children}</RefreshContext>;
}

export function useRefresh(): Refresh {
  return use(RefreshContext);
}

/** Nothing moves under the person's hands while the component that calls this is shown. */
export function useRefreshHold(): void {
  const { hold } = useRefresh();
  useEffect(() => hold(), [hold]);
}
