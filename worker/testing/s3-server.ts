import { createHash, createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a test makes the server do with a request instead of answering it. */
export type Fault = "refuse" | "cut" | "lose-answer" | "cut-answer";

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

const PAGE_KEYS = 3;

/**
 * An S3 store in memory for tests: path-style buckets, PUT, GET with ranges, HEAD, DELETE, list with pages, multipart. It
 * checks each signature and body checksum by its own reading of AWS's specification and refuses what is wrong.
 */
export class S3Server {
  readonly accessKeyId = "AKIATEST";
  readonly secretAccessKey = "secret/with+signs=";
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Upload>();
  /** Requests in order, such as `PUT bucket/key`. */
  readonly log: string[] = [];
  /** Asked for each request before it is carried out. */
  fault: (request: string) => Fault | undefined = () => undefined;
  /** Any other one does not exist. */
  readonly bucket = "lake";
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get settings() {
    return {
      accessKeyId: this.accessKeyId,
      secretAccessKey: this.secretAccessKey,
      region: "eu-test-1",
      endpoint: this.endpoint,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const [rawPath = "", rawQuery = ""] = (request.url ?? "").split("?");
    const query = new URLSearchParams(rawQuery.replaceAll("+", "%2B"));
    const [, bucket = "", ...rest] = rawPath.split("/");
    const key = rest.map(decodeURIComponent).join("/");
    const line = `${request.method} ${bucket}/${key}${rawQuery === "" ? "" : `?${rawQuery}`}`;
    this.log.push(line);
    const fault = this.fault(line);
    if (fault === "refuse")
      return void response.writeHead(503).end("<Error><Code>SlowDown</Code><Message>wait</Message></Error>");
    if (fault === "cut") return void request.socket.destroy();
    const refusal = this.#checkSignature(request, rawPath, rawQuery, body);
    if (refusal) {
      const text = `<Error><Code>${refusal}</Code><Message>no</Message></Error>`;
      return void response.writeHead(403).end(request.method === "HEAD" ? undefined : text);
    }
    const answer =
      bucket === this.bucket
        ? this.#answer(request, `${bucket}/${key}`, query, body)
        : { status: 404, body: NO_BUCKET };
    if (fault === "lose-answer") return void request.socket.destroy();
    if (fault === "cut-answer") {
      response.writeHead(answer.status, { ...answer.headers, "content-length": "1000000" });
      return void response.write("half", () => request.socket.destroy());
    }
    response.writeHead(answer.status, answer.headers);
    response.end(request.method === "HEAD" ? undefined : answer.body);
  }

  #answer(request: IncomingMessage, key: string, query: URLSearchParams, body: Buffer): Answer {
    const uploadId = query.get("uploadId");
    switch (request.method) {
      case "PUT":
        if (uploadId) return this.#putPart(uploadId, Number(query.get("partNumber")), body);
        this.objects.set(key, body);
        return { status: 200, headers: { etag: etagOf(body) } };
      case "POST":
        if (query.has("uploads")) return this.#begin(key);
        return this.#complete(uploadId ?? "", body.toString("utf8"));
      case "DELETE":
        if (uploadId) this.uploads.delete(uploadId);
        else this.objects.delete(key);
        return { status: 204 };
      default:
        return query.has("list-type") ? this.#list(key, query) : this.#get(key, request.headers.range);
    }
  }

  #get(key: string, range: string | undefined): Answer {
    const object = this.objects.get(key);
    if (!object) return { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" };
    const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
    if (!match) return { status: 200, headers: { "content-length": String(object.length) }, body: object };
    return { status: 206, body: object.subarray(Number(match[1]), Number(match[2]) + 1) };
  }

  #begin(key: string): Answer {
    const id = randomBytes(8).toString("hex");
    this.uploads.set(id, { key, parts: new Map() });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  #putPart(id: string, number: number, body: Buffer): Answer {
    const upload = this.uploads.get(id);
    if (!upload) return { status: 404, body: "<Error><Code>NoSuchUpload</Code></Error>" };
    upload.parts.set(number, body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }

  #complete(id: string, xml: string): Answer {
    const upload = this.uploads.get(id);
    if (!upload) return { status: 404, body: "<Error><Code>NoSuchUpload</Code></Error>" };
    const listed = [...xml.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const parts = listed.map(([, number, etag]) => ({
      part: upload.parts.get(Number(number)),
      etag: etag?.replaceAll("&quot;", '"'),
    }));
    const isGood = parts.every(
      ({ part, etag }, index) =>
        part && etagOf(part) === etag && (part.length >= 5 << 20 || index === parts.length - 1),
    );
    // A store may have sent 200 before it finds out.
    if (!isGood || parts.length !== upload.parts.size)
      return { status: 200, body: "<Error><Code>InvalidPart</Code></Error>" };
    this.objects.set(upload.key, Buffer.concat(parts.map(({ part }) => part ?? Buffer.alloc(0))));
    this.uploads.delete(id);
    return { status: 200, body: "<CompleteMultipartUploadResult/>" };
  }

  #list(bucketPath: string, query: URLSearchParams): Answer {
    const bucket = bucketPath.slice(0, bucketPath.indexOf("/") + 1);
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? "";
    const entries = new Set<string>();
    for (const name of [...this.objects.keys()].filter((one) => one.startsWith(bucket + prefix))) {
      const key = name.slice(bucket.length);
      const slash = query.get("delimiter") ? key.indexOf("/", prefix.length) : -1;
      entries.add(slash < 0 ? key : key.slice(0, slash + 1));
    }
    const sorted = [...entries].sort().filter((entry) => entry > after);
    const page = sorted.slice(0, PAGE_KEYS);
    const isTruncated = sorted.length > page.length;
    const items = page.map((entry) =>
      entry.endsWith("/")
        ? `<CommonPrefixes><Prefix>${escapeXml(entry)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${escapeXml(entry)}</Key></Contents>`,
    );
    const token = isTruncated ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? "")}</NextContinuationToken>` : "";
    return {
      status: 200,
      body: `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${token}${items.join("")}</ListBucketResult>`,
    };
  }

  /** AWS Signature Version 4, written from its specification and not from the client. */
  #checkSignature(request: IncomingMessage, path: string, rawQuery: string, body: Buffer): string | undefined {
    const { authorization = "" } = request.headers;
    const match =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        authorization,
      );
    const [, keyId, date = "", region = "", signed = "", signature] = match ?? [];
    if (keyId !== this.accessKeyId) return "InvalidAccessKeyId";
    const claimed = String(request.headers["x-amz-content-sha256"]);
    if (claimed !== createHash("sha256").update(body).digest("hex")) return "XAmzContentSHA256Mismatch";
    const canonicalQuery = rawQuery
      .split("&")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split("=").map((part) => encodeStrictly(decodeURIComponent(part))))
      .map(([name, value = ""]) => `${name}=${value}`)
      .sort()
      .join("&");
    const headers = signed.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}\n`);
    const canonicalPath = path
      .split("/")
      .map((part) => encodeStrictly(decodeURIComponent(part)))
      .join("/");
    const canonical = [request.method, canonicalPath, canonicalQuery, headers.join(""), signed, claimed].join("\n");
    const scope = `${date}/${region}/s3/aws4_request`;
    const toSign = [
      "AWS4-HMAC-SHA256",
      request.headers["x-amz-date"],
      scope,
      createHash("sha256").update(canonical).digest("hex"),
    ].join("\n");
    const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
    const signing = hmac(hmac(hmac(hmac(`AWS4${this.secretAccessKey}`, date), region), "s3"), "aws4_request");
    return hmac(signing, toSign).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
  }
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const NO_BUCKET = "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist.</Message></Error>";

const etagOf = (body: Buffer): string => `"${createHash("md5").update(body).digest("hex")}"`;
const escapeXml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
