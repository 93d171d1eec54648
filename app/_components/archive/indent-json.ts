/**
 * JSON text with line breaks and indents, every token as it was written: numbers keep their digits, doubled names stay,
 * and strings keep their escapes. What is not JSON comes out readable or not, but with all its characters.
 */
export function indentJson(text: string): string {
  const lines: string[] = [];
  let line = "";
  let depth = 0;
  const end = () => {
    lines.push(line);
    line = "  ".repeat(depth);
  };
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*"?|[{}[\],:]|[^\s"{}[\],:]+/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      line += token;
      if (next === "}" || next === "]") continue;
      depth++;
      end();
    } else if (token === "}" || token === "]") {
      const before = tokens[index - 1];
      if (before !== "{" && before !== "[") {
        depth = Math.max(0, depth - 1);
        end();
      }
      line += token;
    } else if (token === ",") {
      line += token;
      end();
    } else {
      line += token === ":" ? ": " : token;
    }
  }
  return [...lines, line].join("\n");
}
