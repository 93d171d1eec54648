import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJson } from "./format-json.ts";
import { hasDuplicates, jsonTree } from "./json-tree.ts";

describe("formatJson", () => {
  it("lays JSON out as JSON.stringify does, without touching a value", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = JSON.parse(text) as unknown;
        return formatJson(JSON.stringify(value)) === JSON.stringify(value, null, 2);
      }),
    );
    expect(formatJson('{"id":1970670598291982290,"id":1.10,"e":{},"l":[ ]}')).toBe(
      '{\n  "id": 1970670598291982290,\n  "id": 1.10,\n  "e": {},\n  "l": []\n}',
    );
  });
});

describe("jsonTree", () => {
  it("keeps number texts and doubled names", () => {
    const tree = jsonTree('{"id":1970670598291982290,"id":-0.0,"l":["x"]}');
    expect(tree).toMatchObject({
      kind: "object",
      members: [
        { name: '"id"', isDuplicate: false, node: { kind: "number", raw: "1970670598291982290" } },
        { name: '"id"', isDuplicate: true, node: { raw: "-0.0" } },
        { name: '"l"', isDuplicate: false, node: { kind: "array", members: [{ name: "0", node: { raw: '"x"' } }] } },
      ],
    });
    expect(hasDuplicates(tree)).toBe(true);
    expect(hasDuplicates(jsonTree('{"a":{"a":1}}'))).toBe(false);
  });
});
