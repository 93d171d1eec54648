import { S3Client, type S3Settings, xmlText, xmlTexts } from "./s3-client.ts";
import { type ExportTarget, TargetError, type TargetFile } from "./target.ts";

/** Parts of a multipart upload: at least 5 MiB but for the last one, at most 10,000 of them. */
const PART_BYTES = 8 << 20;

/**
 * A bucket of any store that speaks S3, below a prefix. A file that fits into one part is one PUT, a larger one a multipart
 * upload; neither is visible before it is whole.
 */
export class S3Target implements ExportTarget {
  readonly name: string;
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor(bucket: string, prefix: string, settings: S3Settings) {
    const folder = prefix.replace(/^\/+|\/+$/g, "");
    this.name = `s3://${bucket}${folder === "" ? "" : `/${folder}`}`;
    this.#prefix = folder === "" ? "" : `${folder}/`;
    this.#client = new S3Client(bucket, settings);
  }

  async create(path: string): Promise<TargetFile> {
    return new S3File(this.#client, this.#key(path));
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    await this.#client.send({ method: "PUT", key: this.#key(path), body: bytes });
  }

  async get(path: string): Promise<Uint8Array | undefined> {
    const answer = await this.#client.send({ method: "GET", key: this.#key(path) }, [404]);
    return answer.status === 404 ? undefined : answer.body;
  }

  async size(path: string): Promise<number | undefined> {
    return sizeOf(this.#client, this.#key(path));
  }

  async *read(path: string): AsyncIterable<Uint8Array> {
    const size = await this.size(path);
    if (size === undefined) throw missing(this.name, path);
    for (let start = 0; start < size; start += PART_BYTES) {
      yield await this.readRange(path, start, Math.min(size, start + PART_BYTES));
    }
  }

  async readRange(path: string, start: number, end: number): Promise<Uint8Array> {
    if (start >= end) return new Uint8Array();
    const headers = { range: `bytes=${start}-${end - 1}` };
    const { status, body } = await this.#client.send({ method: "GET", key: this.#key(path), headers }, [404, 416]);
    if (status === 404) throw missing(this.name, path);
    // A store that does not know ranges sends the whole file.
    const bytes = status === 200 ? body.subarray(start, end) : body;
    if (status !== 416 && bytes.length === end - start) return bytes;
    throw new TargetError("EXPORT_FILE_MISSING", `${this.name}/${path} does not hold the bytes ${start} to ${end}`);
  }

  async listFiles(folder: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const xml of this.#list(`${folder}/`)) keys.push(...xmlTexts(xml, "Key"));
    return keys.map((key) => key.slice(this.#prefix.length)).sort();
  }

  async listFolders(folder: string): Promise<string[]> {
    const prefix = this.#key(`${folder}/`);
    const names: string[] = [];
    for await (const xml of this.#list(`${folder}/`, "/")) {
      const groups = [...xml.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)];
      names.push(...groups.flatMap((group) => xmlTexts(group[1] ?? "", "Prefix")));
    }
    return names.map((name) => name.slice(prefix.length).replace(/\/$/, "")).sort();
  }

  async remove(path: string): Promise<void> {
    await this.#client.send({ method: "DELETE", key: this.#key(path) }, [404]);
  }

  async *#list(folder: string, delimiter?: string): AsyncIterable<string> {
    let token: string | undefined;
    do {
      const query = {
        "list-type": "2",
        prefix: this.#key(folder),
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(token === undefined ? {} : { "continuation-token": token }),
      };
      const { body } = await this.#client.send({ method: "GET", key: "", query });
      const xml = Buffer.from(body).toString("utf8");
      yield xml;
      token = xmlText(xml, "IsTruncated") === "true" ? xmlText(xml, "NextContinuationToken") : undefined;
    } while (token !== undefined);
  }

  #key(path: string): string {
    return this.#prefix + path;
  }
}

class S3File implements TargetFile {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #etags: string[] = [];
  #uploadId: string | undefined;
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #bytes = 0;

  constructor(client: S3Client, key: string) {
    this.#client = client;
    this.#key = key;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(Uint8Array.prototype.slice.call(chunk));
    this.#buffered += chunk.length;
    this.#bytes += chunk.length;
    if (this.#buffered >= PART_BYTES) await this.#uploadPart();
  }

  async finish(): Promise<void> {
    if (this.#uploadId === undefined) {
      await this.#client.send({ method: "PUT", key: this.#key, body: this.#take() });
    } else {
      if (this.#buffered > 0) await this.#uploadPart();
      await this.#complete(this.#uploadId);
    }
    const size = await sizeOf(this.#client, this.#key);
    if (size === this.#bytes) return;
    throw new TargetError(
      "EXPORT_FILE_MISSING",
      `${this.#key} has ${size ?? "no"} bytes after its upload, not ${this.#bytes}`,
    );
  }

  async discard(): Promise<void> {
    this.#take();
    if (this.#uploadId === undefined) return;
    const query = { uploadId: this.#uploadId };
    await this.#client.send({ method: "DELETE", key: this.#key, query }, [404, 405]).catch(() => undefined);
  }

  async #uploadPart(): Promise<void> {
    this.#uploadId ??= await this.#begin();
    const query = { partNumber: String(this.#etags.length + 1), uploadId: this.#uploadId };
    const { headers } = await this.#client.send({ method: "PUT", key: this.#key, query, body: this.#take() });
    this.#etags.push(headers.get("etag") ?? "");
  }

  async #begin(): Promise<string> {
    const { body } = await this.#client.send({ method: "POST", key: this.#key, query: { uploads: "" } });
    const id = xmlText(Buffer.from(body).toString("utf8"), "UploadId");
    if (id) return id;
    throw new TargetError("EXPORT_TARGET_UNAVAILABLE", `${this.#key}: the store began no multipart upload`);
  }

  async #complete(uploadId: string): Promise<void> {
    const parts = this.#etags.map(
      (etag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', "&quot;")}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const answer = await this.#client.send({ method: "POST", key: this.#key, query: { uploadId }, body }, [404]);
    // 404 after a repetition: the first one was carried out and its answer was lost. The size is looked at in any case.
    const text = Buffer.from(answer.body).toString("utf8");
    const isRefused = answer.status === 404 ? answer.tries === 1 : /<Error>/.test(text);
    if (isRefused) {
      throw new TargetError(
        "EXPORT_TARGET_UNAVAILABLE",
        `${this.#key}: the store did not put the parts together: ${xmlText(text, "Code") ?? answer.status}`,
      );
    }
  }

  #take(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#buffered = 0;
    return bytes;
  }
}

async function sizeOf(client: S3Client, key: string): Promise<number | undefined> {
  const { status, headers } = await client.send({ method: "HEAD", key }, [404]);
  return status === 404 ? undefined : Number(headers.get("content-length"));
}

function missing(name: string, path: string): TargetError {
  return new TargetError("EXPORT_FILE_MISSING", `${name}/${path} does not exist`);
}
