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
  const bytes = await readBytes(request, bytesMax);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new ConsoleError("invalid_input", "the body is not JSON", { cause: error });
  }
}

/** The bytes of a body. @throws ConsoleError body_too_large as soon as they pass the limit, invalid_input if it breaks off. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of bodyOf(request)) {
      length += chunk.byteLength;
      if (length > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new ConsoleError("invalid_input", "the body could not be read", { cause: error });
  }
  if (length > bytesMax) throw new ConsoleError("body_too_large", `the body is larger than ${bytesMax} bytes`);
  const bytes = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.byteLength;
  }
  return bytes;
}

function bodyOf(request: Request): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return (request.body as (ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) | null) ?? [];
}
