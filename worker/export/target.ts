/** A file that is being written. It shows under its name only after `finish`, whole. */
export interface TargetFile {
  /** Takes the next bytes; they may be reused after it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the file durable and visible under its name, in the place of one that was there. */
  finish(): Promise<void>;
  /** Forgets what was written; never throws. */
  discard(): Promise<void>;
}

/** A place that holds exported files: a folder or a bucket. Paths are relative, with slashes, and hold any character. */
export interface ExportTarget {
  /** Names the place in records and messages: `file:///…` or `s3://bucket/prefix`. No secrets. */
  readonly name: string;
  create(path: string): Promise<TargetFile>;
  /** Writes a small file at once. */
  put(path: string, bytes: Uint8Array): Promise<void>;
  /** Reads a small file; undefined if there is none. */
  get(path: string): Promise<Uint8Array | undefined>;
  /** The size in bytes; undefined if there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Reads a whole file piece by piece. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** Reads bytes from `start` up to, not including, `end`. */
  readRange(path: string, start: number, end: number): Promise<Uint8Array>;
  /** The paths of all files below a folder; empty if there is none. Files that are being written may show. */
  listFiles(folder: string): Promise<string[]>;
  /** The names of the folders directly below a folder. */
  listFolders(folder: string): Promise<string[]>;
  /** Removes a file; one that is not there is no error. */
  remove(path: string): Promise<void>;
}

/** The place cannot do what is asked; the message names place and file. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  readonly code: string;

  constructor(
    code: "EXPORT_TARGET_INVALID" | "EXPORT_TARGET_UNAVAILABLE" | "EXPORT_FILE_MISSING" | "EXPORT_FILE_INVALID",
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
