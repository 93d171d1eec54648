"use client";

import { LiteralText } from "./literal-text.tsx";
import { useEngineError } from "./use-engine-error.ts";

/** The beginning of a stored error in one line. */
export function ErrorHead({ text, className }: { text: string; className?: string }) {
  return <LiteralText text={useEngineError()(text)} className={className ?? ""} />;
}
