import type { IncomingMessage } from "node:http";
import { HttpProblem } from "./problem.ts";

/** Largest body in bytes: 1,000 ids of 19 digits need some 22 KiB. */
export const BODY_BYTES_MAX = 65_536;

/**
 * Reads a JSON body of at most `BODY_BYTES_MAX` bytes.
 * @throws HttpProblem 415 for another content type, 413 for a body too large, 400 for one that is not JSON in UTF-8.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new HttpProblem(415, 'send the body as "content-type: application/json"', { headers: CLOSE });
  }
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new HttpProblem(400, "the body is not JSON in UTF-8");
  }
}

/** The rest of the body is not read, so the connection cannot be used again. */
const CLOSE = { connection: "close" };

function tooLarge(): HttpProblem {
  return new HttpProblem(413, `the body is larger than ${BODY_BYTES_MAX} bytes; send fewer ids at a time`, {
    headers: CLOSE,
  });
}
