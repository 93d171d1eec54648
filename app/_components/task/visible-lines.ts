import { visibleText } from "../visible-text.ts";

/** `visibleText` that keeps line breaks and tabs: for text that is laid out as it is stored. */
export function visibleLines(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 1 ? part : visibleText(part)))
    .join("");
}
