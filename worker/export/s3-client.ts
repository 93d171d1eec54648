import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { TargetError } from "./target.ts";

export interface S3Settings {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Default us-east-1. */
  readonly region?: string | undefined;
  /** Base URL of a store that is not Amazon's, such as http://127.0.0.1:9000; buckets are then named in the path. */
  readonly endpoint?: string | undefined;
}

const TRIES = 6;
const REQUEST_MS_MAX = 120_000;
const ERROR_TEXT_MAX = 300;
/** The answer to HEAD has no body that says why. */
const WITHOUT_TEXT: Readonly<Record<number, string>> = {
  400: "(is AWS_REGION the region of the store?)",
  403: "(may this key do that, and is its secret right?)",
};

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** How often it was sent; more than once means that an earlier one may have been carried out. */
  readonly tries: number;
}

/**
 * Signed requests to one bucket. What may pass (network, 429, 5xx) is tried again with growing waits; every body goes with
 * its SHA-256 in the signature, so that a store refuses one that was damaged on the way.
 */
export class S3Client {
  readonly bucket: string;
  readonly #client: AwsClient;
  readonly #base: string;

  constructor(bucket: string, settings: S3Settings) {
    const { accessKeyId, secretAccessKey, sessionToken, region = "us-east-1", endpoint } = settings;
    this.bucket = bucket;
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region,
      retries: 0,
    });
    this.#base = endpoint
      ? `${endpoint.replace(/\/+$/, "")}/${bucket}`
      : // A bucket with dots does not fit the certificate of its own host name.
        bucket.includes(".")
        ? `https://s3.${region}.amazonaws.com/${bucket}`
        : `https://${bucket}.s3.${region}.amazonaws.com`;
  }

  /** Sends one request. Answers 2xx, 206 and those of `accept`. @throws TargetError for everything else. */
  async send(request: S3Request, accept: readonly number[] = []): Promise<S3Answer> {
    let problem: unknown;
    for (let tries = 1; tries <= TRIES; tries++) {
      if (tries > 1) await sleep(Math.min(10_000, 150 * 2 ** tries) * (0.5 + Math.random() / 2));
      try {
        const response = await this.#fetch(request);
        const body = new Uint8Array(await response.arrayBuffer());
        const answer = { status: response.status, headers: response.headers, body, tries };
        if (response.ok || (accept.includes(response.status) && !isWithoutBucket(answer))) return answer;
        problem = refusal(answer);
        if (response.status !== 429 && response.status < 500) break;
      } catch (error) {
        problem = error;
      }
    }
    const message = reasonOf(problem);
    throw new TargetError(
      "EXPORT_TARGET_UNAVAILABLE",
      `s3://${this.bucket}/${request.key}: ${request.method} failed: ${message}`,
      problem,
    );
  }

  #fetch({ method, key, query, body, headers }: S3Request): Promise<Response> {
    const url = new URL(`${this.#base}/${encodeKey(key)}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    // `+` in a query means a blank to some signers and itself to others; %20 means one thing to all.
    const address = url.toString().replaceAll("+", "%20");
    return this.#client.fetch(address, {
      method,
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      headers: {
        "x-amz-content-sha256": createHash("sha256")
          .update(body ?? "")
          .digest("hex"),
        ...headers,
      },
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
      redirect: "error",
    });
  }
}

/** What `fetch` throws says "fetch failed"; why stands in its cause. */
export function reasonOf(problem: unknown): string {
  const { message, cause } = problem as Error;
  const { message: reason, code } = Object(cause) as { message?: string; code?: string };
  const more = reason || code;
  return more === undefined ? message : `${message}: ${more}`;
}

/** "Not found" may mean the bucket: no file is missing then, all of them are out of reach. */
function isWithoutBucket({ status, body }: S3Answer): boolean {
  return status === 404 && xmlText(Buffer.from(body).toString("utf8"), "Code") === "NoSuchBucket";
}

function refusal({ status, body }: Pick<S3Answer, "status" | "body">): Error {
  const text = Buffer.from(body).toString("utf8");
  const code = xmlText(text, "Code");
  const detail =
    code === undefined
      ? text.slice(0, ERROR_TEXT_MAX) || (WITHOUT_TEXT[status] ?? "")
      : `${code}: ${xmlText(text, "Message") ?? ""}`;
  return new Error(`the store answered ${status} ${detail.slice(0, ERROR_TEXT_MAX)}`.trimEnd());
}

/** A key in a URL: everything but letters, digits and `-._~/` is escaped, as the signature demands. */
function encodeKey(key: string): string {
  return key
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join("/");
}

/** The text of the first element of this name. */
export function xmlText(xml: string, element: string): string | undefined {
  return xmlTexts(xml, element)[0];
}

/** The texts of all elements of this name that hold text only. */
export function xmlTexts(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map((match) =>
    unescapeXml(match[1] ?? ""),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  });
}
