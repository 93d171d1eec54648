import { visibleText } from "./visible-text.ts";

/** Task data as text and nothing but text, cut to one line; the tooltip holds all of it. */
export function LiteralText({ text, className = "" }: { text: string; className?: string }) {
  const shown = visibleText(text);
  return (
    <span dir="auto" title={shown} className={`block truncate ${className}`}>
      {shown}
    </span>
  );
}
