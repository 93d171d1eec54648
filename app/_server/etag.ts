import { createHash } from "node:crypto";

/**
 * A weak tag of a JSON answer. `asOf` at its top, the time at which it was read, does not count: two answers that differ
 * in nothing else are the same.
 */
export function etagOf(answer: unknown): string {
  const text = JSON.stringify(answer, function (this: unknown, name, value: unknown) {
    return name === "asOf" && this === answer ? undefined : value;
  });
  return `W/"${createHash("sha256")
    .update(text ?? "")
    .digest("base64url")
    .slice(0, 27)}"`;
}

/** Whether the asker holds this very answer already (`If-None-Match`, compared weakly). */
export function holdsAnswer(request: Request, etag: string): boolean {
  const held = request.headers.get("if-none-match");
  if (held === null) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return held.trim() === "*" || held.split(",").some((tag) => opaque(tag) === opaque(etag));
}

/** The answer as JSON with its tag, or 304 without a body if the asker holds it. */
export function taggedJson(request: Request, answer: unknown, headers: Readonly<Record<string, string>>): Response {
  const etag = etagOf(answer);
  const tagged = { ...headers, ETag: etag };
  if (holdsAnswer(request, etag)) return new Response(null, { status: 304, headers: tagged });
  return Response.json(answer, { headers: tagged });
}
