"use client";

import { useEffect, useState } from "react";

/** Turns true once `limitAt` (milliseconds since 1970) has passed while `isWatched`. */
export function useTooOld(isWatched: boolean, limitAt: number): boolean {
  const [passedLimit, setPassedLimit] = useState<number>();
  useEffect(() => {
    if (!isWatched) return;
    const timer = setTimeout(() => setPassedLimit(limitAt), Math.max(0, limitAt - Date.now()));
    return () => clearTimeout(timer);
  }, [isWatched, limitAt]);
  return isWatched && passedLimit === limitAt;
}
