"use client";

import { LiteralText } from "./literal-text.tsx";
import { useStrategyName } from "./use-strategy-name.ts";

/** The name of a retry strategy in a cell. */
export function StrategyText({ strategy }: { strategy: string }) {
  return <LiteralText text={useStrategyName()(strategy)} />;
}
