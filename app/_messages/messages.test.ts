import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import english from "./en/index.ts";
import chinese from "./zh-CN/index.ts";

const appDirectory = join(import.meta.dirname, "..");

/** Every key of a message file as `namespace.key`, with its text. */
function flatten(messages: Record<string, Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(messages).flatMap(([namespace, texts]) =>
      Object.entries(texts).map(([key, text]) => [`${namespace}.${key}`, text] as const),
    ),
  );
}

/** What the code asks for, as patterns: a `${…}` in a key stands for any key. */
function usedKeys(): Map<string, RegExp> {
  const used = new Map<string, RegExp>();
  const files = readdirSync(appDirectory, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  for (const name of files.filter((file) => !file.endsWith(".test.ts"))) {
    const code = readFileSync(join(appDirectory, name), "utf8");
    const translators = code.matchAll(/const (\w+) = (?:await )?(?:use|get)Translations\("(\w+)"\)/g);
    for (const [, translator = "", namespace = ""] of translators) {
      const calls = code.matchAll(new RegExp(`\\b${translator}(?:\\.rich)?\\(\\s*(["\`])([^"\`]+)\\1`, "g"));
      for (const [, , key = ""] of calls) {
        const pattern = key.split(/\$\{[^}]+\}/).map((part) => part.replace(/\W/g, "\\$&"));
        used.set(`${namespace}.${key}`, new RegExp(`^${namespace}\\.${pattern.join("\\w+")}$`));
      }
    }
  }
  return used;
}

/** The names that a message inserts. */
function argumentsOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name = ""]) => name))].sort();
}

describe("message files", () => {
  const en = flatten(english);
  const zh = flatten(chinese);

  it("have the same keys in the same order", () => {
    expect([...zh.keys()]).toEqual([...en.keys()]);
  });

  it("insert the same values in both languages", () => {
    for (const [key, text] of en) expect([key, argumentsOf(zh.get(key) ?? "")]).toEqual([key, argumentsOf(text)]);
  });

  it("hold every text that the code asks for, and no other", () => {
    const used = usedKeys();
    const keys = [...en.keys()];
    expect([...used].filter(([, pattern]) => !keys.some((key) => pattern.test(key))).map(([key]) => key)).toEqual([]);
    expect(keys.filter((key) => ![...used.values()].some((pattern) => pattern.test(key)))).toEqual([]);
  });
});
