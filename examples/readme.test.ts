import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drizzle } from "drizzle-orm/mysql2";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../db/testing/test-database.ts";
import type { Engine } from "../worker/engine/index.ts";
import { createTables } from "./orders/create-tables.ts";
import { demoOrder } from "./orders/schema.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

let test: TestDatabase;
let directory: string;

beforeEach(async () => {
  test = await createTestDatabase();
  directory = await mkdtemp(join(here, "readme-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
  await test.drop();
});

interface Surroundings {
  readonly db: unknown;
  readonly orders: typeof demoOrder;
  readonly orderId: string;
  readonly mail: { sendReceipt(orderId: string): Promise<void> };
}

/** The first example of a README as a module whose free names are the parameters of one function. */
async function exampleOf(readme: string): Promise<(around: Surroundings) => Promise<Engine>> {
  const text = await readFile(new URL(`../${readme}`, import.meta.url), "utf8");
  const [, code] = /```ts\n([\s\S]*?)```/.exec(text) ?? [];
  if (code === undefined) throw new Error(`${readme} shows no example`);
  const file = join(directory, "example.mjs");
  const engine = pathToFileURL(join(here, "..", "worker", "engine", "index.ts")).pathname;
  await writeFile(
    file,
    `import { createEngine, defineHandler } from ${JSON.stringify(engine)};
     export async function example({ db, orders, orderId, mail }) {
       ${code}
       return engine;
     }`,
  );
  return ((await import(/* @vite-ignore */ file)) as { example: (around: Surroundings) => Promise<Engine> }).example;
}

it.each(["README.md", "README.zh-CN.md"])("%s shows an example that works as it stands", async (readme) => {
  const db = drizzle(test.pool);
  await createTables(db);
  const example = await exampleOf(readme);
  const receipts: string[] = [];
  const engine = await example({
    db,
    orders: demoOrder,
    orderId: "order-1",
    mail: {
      sendReceipt: async (orderId) => {
        receipts.push(orderId);
      },
    },
  });
  await engine.stop();
  expect(receipts).toEqual(["order-1"]);
  expect((await db.select().from(demoOrder)).map((order) => order.id)).toEqual(["order-1"]);
});
