import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalTarget } from "./local-target.ts";
import type { S3Settings } from "./s3-client.ts";
import { S3Target } from "./s3-target.ts";
import { type ExportTarget, TargetError } from "./target.ts";

const NAME_MAX = 255;

/**
 * The place that a text names: `s3://bucket/prefix`, `file:///folder`, or a folder.
 * @param s3 credentials and endpoint; needed for `s3://` only
 * @throws TargetError for a text that names none, or a bucket without credentials
 */
export function openTarget(text: string, s3: S3Settings | undefined): ExportTarget {
  const target = parse(text, s3);
  if (target.name.length <= NAME_MAX) return target;
  throw invalid(`its name has ${target.name.length} characters; ${NAME_MAX} are possible`);
}

function parse(text: string, s3: S3Settings | undefined): ExportTarget {
  const bucket = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  if (bucket) {
    if (!s3) throw invalid("s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    const prefix = (bucket[2] ?? "").replace(/^\/+|\/+$/g, "");
    checkPrefix(prefix);
    return new S3Target(bucket[1] ?? "", prefix, s3);
  }
  if (text.startsWith("file://")) return new LocalTarget(fileURLToPath(text));
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
    throw invalid(
      `"${text.slice(0, 80)}" is not a place to export to; write s3://bucket/prefix, file:///folder or a folder`,
    );
  }
  return new LocalTarget(resolve(text));
}

/** Names that are no names to the parts between us and the store: `..` in a URL leads elsewhere, even out of the bucket. */
function checkPrefix(prefix: string): void {
  if (prefix === "") return;
  if (/\p{Cc}/u.test(prefix)) throw invalid("the prefix in the bucket holds control characters");
  const bad = prefix.split("/").find((part) => part === "" || part === "." || part === "..");
  if (bad !== undefined)
    throw invalid(`the prefix in the bucket has a part "${bad}"; name folders between single slashes`);
}

const invalid = (message: string): TargetError => new TargetError("EXPORT_TARGET_INVALID", `export target: ${message}`);
