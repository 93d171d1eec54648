"use client";

import { useEffect, useState } from "react";

/** Seconds that are left of a wait which `start` begins; 0: none. Counts by the browser's steady clock. */
export function useCountdown(): { readonly secondsLeft: number; readonly start: (seconds: number) => void } {
  const [endsAtMs, setEndsAtMs] = useState(0);
  const [nowMs, setNowMs] = useState(0);
  const secondsLeft = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1_000));
  const isWaiting = secondsLeft > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setNowMs(performance.now()), 250);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return {
    secondsLeft,
    start: (seconds) => {
      setNowMs(performance.now());
      setEndsAtMs(performance.now() + seconds * 1_000);
    },
  };
}
