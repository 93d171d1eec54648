/** What a scan meets, in the order of the text. `path` is the one array of the scan, true until the call returns. */
export interface JsonVisitor {
  /** The name of a member, quotes included, and the name itself. */
  key?(start: number, end: number, name: string, path: readonly string[]): void;
  open?(kind: "object" | "array", start: number, path: readonly string[]): void;
  close?(end: number, path: readonly string[]): void;
  scalar?(kind: "string" | "number" | "literal", start: number, end: number, path: readonly string[]): void;
}

/** The text is not JSON; `position` is where it stops being so. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  readonly position: number;

  constructor(position: number) {
    super(`not JSON at position ${position}`);
    this.position = position;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = ["true", "false", "null"] as const;

/**
 * Walks JSON text as strictly as `JSON.parse` reads it and tells where everything stands. Nothing is converted: numbers of
 * any length, doubled names and the layout can be kept as they are. Takes time and memory for the text, not for its depth.
 * @throws JsonSyntaxError
 */
export function scanJson(text: string, visitor: JsonVisitor): void {
  const path: string[] = [];
  /** Per open container: -1 for an object, else the index of the element that follows. */
  const open: number[] = [];
  let position = skipSpace(text, 0);
  let isValueNext = true;
  for (;;) {
    if (isValueNext) {
      const character = text[position];
      if (character === "{" || character === "[") {
        const isObject = character === "{";
        visitor.open?.(isObject ? "object" : "array", position, path);
        position = skipSpace(text, position + 1);
        if (text[position] === (isObject ? "}" : "]")) {
          position++;
          visitor.close?.(position, path);
          isValueNext = false;
          continue;
        }
        open.push(isObject ? -1 : 0);
        position = isObject ? readName(text, position, path, visitor) : position;
        if (!isObject) path.push("0");
        continue;
      }
      position = readScalar(text, position, path, visitor);
      isValueNext = false;
      continue;
    }
    position = skipSpace(text, position);
    const index = open.at(-1);
    if (index === undefined) {
      if (position !== text.length) throw new JsonSyntaxError(position);
      return;
    }
    const character = text[position];
    if (character === ",") {
      position = skipSpace(text, position + 1);
      path.pop();
      if (index === -1) {
        position = readName(text, position, path, visitor);
      } else {
        open[open.length - 1] = index + 1;
        path.push(String(index + 1));
      }
      isValueNext = true;
    } else if (character === (index === -1 ? "}" : "]")) {
      open.pop();
      path.pop();
      position++;
      visitor.close?.(position, path);
    } else {
      throw new JsonSyntaxError(position);
    }
  }
}

/** Reads a name and its colon; the path then leads to its value. */
function readName(text: string, start: number, path: string[], visitor: JsonVisitor): number {
  if (text[start] !== '"') throw new JsonSyntaxError(start);
  const end = endOfString(text, start);
  const name = decodeString(text.slice(start, end));
  visitor.key?.(start, end, name, path);
  const colon = skipSpace(text, end);
  if (text[colon] !== ":") throw new JsonSyntaxError(colon);
  path.push(name);
  return skipSpace(text, colon + 1);
}

function readScalar(text: string, start: number, path: readonly string[], visitor: JsonVisitor): number {
  if (text[start] === '"') {
    const end = endOfString(text, start);
    visitor.scalar?.("string", start, end, path);
    return end;
  }
  const literal = LITERALS.find((one) => text.startsWith(one, start));
  if (literal) {
    visitor.scalar?.("literal", start, start + literal.length, path);
    return start + literal.length;
  }
  NUMBER.lastIndex = start;
  if (!NUMBER.test(text)) throw new JsonSyntaxError(start);
  const end = NUMBER.lastIndex;
  visitor.scalar?.("number", start, end, path);
  return end;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) return position + 1;
    if (code < 0x20) throw new JsonSyntaxError(position);
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = position;
      if (!ESCAPE.test(text)) throw new JsonSyntaxError(position);
      position = ESCAPE.lastIndex - 1;
    }
  }
  throw new JsonSyntaxError(text.length);
}

/** The string that a quoted JSON string stands for. */
export function decodeString(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function skipSpace(text: string, start: number): number {
  let position = start;
  for (;;) {
    const code = text.charCodeAt(position);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return position;
    position++;
  }
}

/** Whether the text is JSON. */
export function isJson(text: string): boolean {
  try {
    scanJson(text, {});
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
