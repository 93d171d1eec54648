import type * as z from "zod";
import { ConsoleError } from "./console-error.ts";

const BODY_BYTES_MAX = 16 * 1024;

/** @throws ConsoleError invalid_input naming every problem. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw new ConsoleError("invalid_input", "the request is not valid", { details: { problems } });
}

/** The query of an address as an object. @throws ConsoleError for a name that is given twice. */
export function readQuery(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of searchParams) {
    if (name in query) throw new ConsoleError("invalid_input", `the parameter ${JSON.stringify(name)} is given twice`);
    query[name] = value;
  }
  return query;
}

/** The JSON body of a request, read no further than its limit. @throws ConsoleError if it is too large or no JSON. */
export async function readJson(request: Request, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of bodyOf(request)) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) break;
      text += decoder.decode(chunk, { stream: true });
    }
    if (bytes <= bytesMax) return JSON.parse(text + decoder.decode()) as unknown;
  } catch (error) {
    throw new ConsoleError("invalid_input", "the body is not JSON", { cause: error });
  }
  throw new ConsoleError("body_too_large", `the body is larger than ${bytesMax} bytes`);
}

function bodyOf(request: Request): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return (request.body as (ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) | null) ?? [];
}
