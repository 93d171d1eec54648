import { scanJson } from "./scan-json.ts";

/**
 * The same JSON with one member on each line, indented by two; every name and value as it was written, doubled names and
 * long numbers included. @throws JsonSyntaxError
 */
export function formatJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let isEmpty = true;
  let isAfterName = false;
  const begin = () => {
    if (isAfterName) isAfterName = false;
    else if (depth > 0) parts.push(isEmpty ? "\n" : ",\n", "  ".repeat(depth));
  };
  scanJson(text, {
    key(start, end) {
      begin();
      parts.push(text.slice(start, end), ": ");
      isAfterName = true;
    },
    open(kind) {
      begin();
      parts.push(kind === "object" ? "{" : "[");
      depth++;
      isEmpty = true;
    },
    close(end) {
      depth--;
      if (!isEmpty) parts.push("\n", "  ".repeat(depth));
      parts.push(text[end - 1] ?? "");
      isEmpty = false;
    },
    scalar(_, start, end) {
      begin();
      parts.push(text.slice(start, end));
      isEmpty = false;
    },
  });
  return parts.join("");
}
