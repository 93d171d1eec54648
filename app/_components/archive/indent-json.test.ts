import fc from "fast-check";
import { expect, it } from "vitest";
import { indentJson } from "./indent-json.ts";

it("breaks and indents, and keeps every token as it was written", () => {
  expect(indentJson('{"n":1970670598291982290,"a":[1e400,-0.0,{}],"s":"a, \\"b\\": [c]\\u00e9","a":[],"t":true}')).toBe(
    `{
  "n": 1970670598291982290,
  "a": [
    1e400,
    -0.0,
    {}
  ],
  "s": "a, \\"b\\": [c]\\u00e9",
  "a": [],
  "t": true
}`,
  );
});

it("writes any JSON as the platform does, and leaves what it indented as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 2);
      expect(indentJson(JSON.stringify(value))).toBe(text);
      expect(indentJson(text)).toBe(text);
    }),
  );
});
