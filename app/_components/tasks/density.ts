"use client";

import { useSyncExternalStore } from "react";

export const DENSITIES = ["compact", "comfortable"] as const;
export type Density = (typeof DENSITIES)[number];

const KEY = "redrive-density";
const listeners = new Set<() => void>();

/** How dense this person's lists are; kept in this browser. */
export function useDensity(): readonly [Density, (density: Density) => void] {
  const density = useSyncExternalStore<Density>(subscribe, read, () => "compact");
  return [density, write];
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function read(): Density {
  try {
    return localStorage.getItem(KEY) === "comfortable" ? "comfortable" : "compact";
  } catch {
    return "compact";
  }
}

function write(density: Density): void {
  try {
    localStorage.setItem(KEY, density);
  } catch {
    // A browser that keeps nothing shows the usual density.
  }
  for (const changed of listeners) changed();
}
