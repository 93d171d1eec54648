"use client";

import { useEffect, useState } from "react";

/** Whole seconds until something that was `ms` away when `stamp` was taken; 0 once it has come. */
export function useSecondsLeft(ms: number, stamp: string): number {
  const [end, setEnd] = useState({ stamp, atMs: 0 });
  const [nowMs, setNowMs] = useState(0);
  useEffect(() => {
    const started = performance.now();
    setEnd({ stamp, atMs: started + ms });
    setNowMs(started);
    if (ms <= 0) return;
    const timer = setInterval(() => setNowMs(performance.now()), 250);
    return () => clearInterval(timer);
  }, [ms, stamp]);
  const leftMs = end.stamp === stamp && end.atMs > 0 ? end.atMs - nowMs : ms;
  return Math.max(0, Math.ceil(leftMs / 1_000));
}
