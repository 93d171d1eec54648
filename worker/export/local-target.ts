import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ExportTarget, TargetError, type TargetFile } from "./target.ts";

/** Files that are being written begin with a dot: readers of the Hive layout pass over them. */
const TEMPORARY = /^\..*\.tmp$/;

/** A folder of this machine or of a mounted share. A file is written beside its place, made durable, and renamed. */
export class LocalTarget implements ExportTarget {
  readonly name: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.name = pathToFileURL(root).href;
  }

  async create(path: string): Promise<TargetFile> {
    const place = join(this.#root, path);
    const temporary = join(dirname(place), `.${basename(place).slice(0, 200)}.${randomBytes(4).toString("hex")}.tmp`);
    await mkdir(dirname(place), { recursive: true });
    const handle = await open(temporary, "wx");
    return new LocalFile(handle, temporary, place);
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.create(path);
    try {
      await file.write(bytes);
      await file.finish();
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  async get(path: string): Promise<Uint8Array | undefined> {
    try {
      return await unlessMissing(readFile(join(this.#root, path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EISDIR") throw error;
      throw new TargetError("EXPORT_FILE_INVALID", `${this.name}/${path} is a folder, not a file`, error);
    }
  }

  async size(path: string): Promise<number | undefined> {
    const found = await unlessMissing(stat(join(this.#root, path)));
    return found?.isFile() ? found.size : undefined;
  }

  read(path: string): AsyncIterable<Uint8Array> {
    return createReadStream(join(this.#root, path), { highWaterMark: 1 << 20 });
  }

  async readRange(path: string, start: number, end: number): Promise<Uint8Array> {
    const handle = await open(join(this.#root, path), "r");
    try {
      const bytes = new Uint8Array(end - start);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0)
          throw new TargetError("EXPORT_FILE_MISSING", `${this.name}/${path} ends before byte ${end}`);
        filled += bytesRead;
      }
      return bytes;
    } finally {
      await handle.close();
    }
  }

  async listFiles(folder: string): Promise<string[]> {
    const entries = (await unlessMissing(readdir(join(this.#root, folder), { withFileTypes: true }))) ?? [];
    const found: string[] = [];
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) found.push(...(await this.listFiles(path)));
      else found.push(path);
    }
    return found.sort();
  }

  async listFolders(folder: string): Promise<string[]> {
    const entries = (await unlessMissing(readdir(join(this.#root, folder), { withFileTypes: true }))) ?? [];
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.#root, path), { force: true });
  }
}

class LocalFile implements TargetFile {
  readonly #handle: FileHandle;
  readonly #temporary: string;
  readonly #place: string;

  constructor(handle: FileHandle, temporary: string, place: string) {
    this.#handle = handle;
    this.#temporary = temporary;
    this.#place = place;
  }

  async write(chunk: Uint8Array): Promise<void> {
    let written = 0;
    while (written < chunk.length) {
      const { bytesWritten } = await this.#handle.write(chunk, written, chunk.length - written);
      written += bytesWritten;
    }
  }

  async finish(): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#temporary, this.#place);
    await syncFolder(dirname(this.#place));
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }
}

/** Whether a path is one that `create` writes to before `finish`; a crash may leave it behind. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.test(path.slice(path.lastIndexOf("/") + 1));
}

/** The name itself must survive a power cut, too; some file systems cannot be asked for that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
