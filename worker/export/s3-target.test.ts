import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedTask } from "../testing/archive-rows.ts";
import { exportAll } from "../testing/history-run.ts";
import { S3Server } from "../testing/s3-server.ts";
import { openTarget } from "./open-target.ts";
import { reasonOf } from "./s3-client.ts";
import { S3Target } from "./s3-target.ts";

let server: S3Server;
let target: S3Target;
beforeEach(async () => {
  server = await S3Server.start();
  target = new S3Target("lake", "redrive/prod/", server.settings);
});
afterEach(() => server.stop());

const write = async (path: string, ...chunks: Buffer[]) => {
  const file = await target.create(path);
  for (const chunk of chunks) await file.write(chunk);
  await file.finish();
};
const readAll = async (path: string) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of target.read(path)) chunks.push(chunk);
  return Buffer.concat(chunks);
};
const big = () => [randomBytes(6 << 20), randomBytes(6 << 20), randomBytes(3 << 20)];

describe("an S3 store", () => {
  it.each(["a.parquet", "event_type=a%2Fb c+d'()*!~&$@;,/part.parquet", "event_type=订单😀/part.parquet", "#?=:/x"])(
    "keeps and gives back the file %j under that very name",
    async (path) => {
      const bytes = randomBytes(1_000);
      await write(path, bytes);
      expect([...server.objects.keys()]).toEqual([`lake/redrive/prod/${path}`]);
      expect(await readAll(path)).toEqual(bytes);
      expect(Buffer.from(await target.readRange(path, 10, 20))).toEqual(bytes.subarray(10, 20));
      expect(await target.size(path)).toBe(1_000);
      await target.remove(path);
      expect(await target.size(path)).toBeUndefined();
      expect(await target.get(path)).toBeUndefined();
    },
  );

  it("takes a large file in parts, and shows it only when it is whole", async () => {
    const chunks = big();
    const file = await target.create("big");
    for (const chunk of chunks) await file.write(chunk);
    expect(server.objects.size).toBe(0);
    expect(server.uploads.size).toBe(1);
    await file.finish();
    expect((await readAll("big")).equals(Buffer.concat(chunks))).toBe(true);
    expect(server.uploads.size).toBe(0);
  });

  it("leaves no parts behind when a file is given up", async () => {
    const file = await target.create("big");
    await file.write(randomBytes(9 << 20));
    await file.discard();
    expect(server.uploads.size).toBe(0);
    expect(server.objects.size).toBe(0);
  });

  it.each(["refuse", "cut", "lose-answer"] as const)(
    "gets every request through that meets the fault %s once",
    async (fault) => {
      const seen = new Set<string>();
      server.fault = (request) => {
        if (seen.has(request)) return undefined;
        seen.add(request);
        return fault;
      };
      const chunks = big();
      await write("big", ...chunks);
      await target.put("small", randomBytes(10));
      expect((await readAll("big")).equals(Buffer.concat(chunks))).toBe(true);
      expect(await target.listFolders("")).toEqual([]);
    },
    60_000,
  );

  it("says which store and file when it is refused, and does not try a refusal again", async () => {
    const stranger = new S3Target("lake", "", { ...server.settings, secretAccessKey: "wrong" });
    await expect(stranger.put("x", randomBytes(3))).rejects.toThrow(
      /s3:\/\/lake\/x: PUT failed: the store answered 403 SignatureDoesNotMatch/,
    );
    expect(server.log).toHaveLength(1);
  });

  it("asks again when an answer breaks off in its middle", async () => {
    const bytes = randomBytes(1_000);
    await target.put("x", bytes);
    let faults = 0;
    server.fault = (request) => (request.startsWith("GET") && faults++ === 0 ? "cut-answer" : undefined);
    expect(Buffer.from((await target.get("x")) ?? [])).toEqual(bytes);
    expect(faults).toBe(2);
  });

  it("says that the bucket is not there, rather than that every file of it is missing", async () => {
    const nowhere = new S3Target("lakes", "redrive", server.settings);
    const refused = /s3:\/\/lakes\/.*NoSuchBucket: The specified bucket does not exist/;
    await expect(nowhere.get("x")).rejects.toThrow(refused);
    await expect(nowhere.readRange("x", 0, 1)).rejects.toThrow(refused);
    await expect(nowhere.put("x", randomBytes(3))).rejects.toThrow(refused);
    await expect(nowhere.remove("x")).rejects.toThrow(refused);
    await expect(nowhere.listFolders("tasks")).rejects.toThrow(refused);
  });

  it("says why a store cannot be reached", async () => {
    const { endpoint } = server;
    await server.stop();
    expect(await fetch(endpoint).then(() => "reached", reasonOf)).toMatch(/^fetch failed: .*ECONNREFUSED/);
    server = await S3Server.start();
  });

  it("says what to look at where the store's refusal has no words", async () => {
    const stranger = new S3Target("lake", "", { ...server.settings, secretAccessKey: "wrong" });
    await expect(stranger.size("x")).rejects.toThrow(/HEAD failed: the store answered 403 \(may this key do that/);
  });

  it("lists files and folders page by page", async () => {
    const paths = Array.from(
      { length: 8 },
      (_, n) => `tasks/dt=2026-11-0${n + 1}/event_type=a%2Fb & <c>/part-${n}.parquet`,
    );
    for (const path of paths) await target.put(path, Buffer.from("x"));
    expect(await target.listFiles("tasks")).toEqual(paths);
    expect(await target.listFolders("tasks")).toEqual(paths.map((path) => path.split("/")[1]));
  });
});

describe("an export target", () => {
  it.each([
    ["s3://lake/a/b/", "s3://lake/a/b"],
    ["s3://lake", "s3://lake"],
    ["file:///srv/x%20y", "file:///srv/x%20y"],
    ["/srv/x y", "file:///srv/x%20y"],
  ])("%s is %s", (text, name) => {
    expect(openTarget(text, server.settings).name).toBe(name);
  });

  it.each(["gs://lake", "S3://lake", "https://lake", "s3://A"])("refuses %s", (text) => {
    expect(() => openTarget(text, server.settings)).toThrow(/not a place to export to/);
  });

  it.each(["a//b", "a/../b", "..", "./a", "a/.", "a\tb", "a\u0085b"])(
    "refuses the prefix %j, which a URL or an engine would take for another place",
    (prefix) => {
      expect(() => openTarget(`s3://lake/${prefix}`, server.settings)).toThrow(/the prefix in the bucket/);
    },
  );

  it("needs credentials for a bucket", () => {
    expect(() => openTarget("s3://lake", undefined)).toThrow(/AWS_ACCESS_KEY_ID/);
  });
});

describe("an export to S3", () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  it("holds the same bytes as one to a folder, is verified there, and is passed over the second time", async () => {
    for (const eventType of ["PAY", "a/b +é"]) {
      for (let n = 0; n < 7; n++) {
        const id = String(n + (eventType === "PAY" ? 10 : 20));
        await test.database.use((session) =>
          insertArchivedTask(session, { id, eventType, archivedAt: new Date("2026-11-01T08:00:00Z") }),
        );
      }
    }
    const { ScratchFolder } = await import("../testing/history-run.ts");
    const folder = new ScratchFolder();
    try {
      await exportAll(test, folder.target);
      const { outcomes } = await exportAll(test, target);
      expect(outcomes.map(({ what }) => what)).toEqual(["exported", "exported"]);
      const local = await folder.target.listFiles("tasks");
      expect(await target.listFiles("tasks")).toEqual(local);
      expect(local.filter((path) => path.endsWith(".parquet"))).toHaveLength(4);
      for (const path of local)
        expect(await target.get(path)).toEqual(new Uint8Array((await folder.target.get(path)) ?? []));
      const puts = server.log.filter((line) => !/^(HEAD|GET)/.test(line)).length;
      expect((await exportAll(test, target)).outcomes.map(({ what }) => what)).toEqual(["skipped", "skipped"]);
      expect(server.log.filter((line) => !/^(HEAD|GET)/.test(line))).toHaveLength(puts);
    } finally {
      folder.remove();
    }
  });
});
