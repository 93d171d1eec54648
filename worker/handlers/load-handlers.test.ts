import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadHandlers } from "./load-handlers.ts";

const HANDLER = '{ eventType: "PAY", settings: {}, handle() {} }';

const FILES = {
  "array.mjs": `export default [${HANDLER}];`,
  "function.mjs": `export default async (env) => [{ ...${HANDLER}, eventType: env.TYPE }];`,
  "plain.cjs": `module.exports = [${HANDLER}];`,
  "compiled.cjs": `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = [${HANDLER}];`,
  "folder/index.js": `module.exports = [${HANDLER}];`,
  "throws.mjs": 'throw new TypeError("no configuration for the payment gateway");',
  "throws-text.mjs": 'throw "just text";',
  "syntax.mjs": "export default [",
  "nothing.mjs": "export const handlers = [];",
  "empty.mjs": "export default [];",
  "object.mjs": "export default {};",
  "raw.mjs": 'export default [{ eventType: "PAY", handle() {} }];',
  "rejects.mjs": 'export default async () => { throw new Error("vault is sealed"); };',
  "returns.mjs": "export default () => 5;",
  "node_modules/team-handlers/package.json":
    '{"name":"team-handlers","type":"module","exports":{"default":"./main.js"}}',
  "node_modules/team-handlers/main.js": `export default [${HANDLER}];`,
};

describe("loadHandlers", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "redrive-handlers-"));
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), text);
    }
  });
  afterAll(() => rm(cwd, { recursive: true }));
  const load = (specifier: string) => loadHandlers(specifier, { cwd, env: { TYPE: "FROM_ENV" } });

  it.each(["./array.mjs", "array.mjs", "./plain.cjs", "./compiled.cjs", "./folder", "team-handlers"])(
    "loads %s, from the working directory",
    async (specifier) => {
      expect(await load(specifier)).toMatchObject([{ eventType: "PAY" }]);
    },
  );

  it("loads an absolute path", async () => {
    expect(await load(join(cwd, "array.mjs"))).toHaveLength(1);
  });

  it("calls a function with the environment", async () => {
    expect(await load("./function.mjs")).toMatchObject([{ eventType: "FROM_ENV" }]);
  });

  it.each([
    ["./missing.mjs", /there is no module at .*missing\.mjs; write the path/],
    ["no-such-package", /no package "no-such-package" is installed/],
    ["./throws-text.mjs", /could not be loaded: 'just text'/],
    ["./syntax.mjs", /syntax\.mjs/],
    ["./nothing.mjs", /its default export is missing; it must default-export an array of handlers/],
    ["./object.mjs", /its default export is an object; it must/],
    ["./empty.mjs", /exports no handler/],
    ["./raw.mjs", /entry 0 is an object with a handle function but no settings.*defineHandler/],
    ["./rejects.mjs", /its default-exported function threw: Error: vault is sealed/],
    ["./returns.mjs", /its default-exported function returned a number/],
  ])("refuses %s and says why", async (specifier, message) => {
    await expect(load(specifier)).rejects.toThrow(message);
  });

  it("keeps the whole error of a module that throws while it loads", async () => {
    const error: unknown = await load("./throws.mjs").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringContaining("TypeError: no configuration for the payment gateway"),
      cause: expect.objectContaining({ stack: expect.stringContaining("throws.mjs") }),
    });
  });
});
