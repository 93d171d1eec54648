import { describe, expect, it } from "vitest";
import { etagOf, holdsAnswer, taggedJson } from "./etag.ts";

const asking = (held?: string) =>
  new Request("http://console/api/v1/x", held === undefined ? {} : { headers: { "If-None-Match": held } });

describe("the tag of an answer", () => {
  it("is weak, and the same for the same content whatever the time of reading", () => {
    const tag = etagOf({ asOf: "2026-01-01T00:00:00.000Z", items: [1] });
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(etagOf({ asOf: "2026-01-01T00:00:05.000Z", items: [1] })).toBe(tag);
    expect(etagOf({ asOf: "2026-01-01T00:00:00.000Z", items: [2] })).not.toBe(tag);
  });

  it("counts an asOf further inside", () => {
    expect(etagOf({ items: [{ asOf: 1 }] })).not.toBe(etagOf({ items: [{ asOf: 2 }] }));
  });

  it.each([undefined, null, "", 0, [], {}])("exists for %j", (answer) => {
    expect(etagOf(answer)).toMatch(/^W\//);
  });
});

describe("an asker", () => {
  const tag = etagOf({ items: [] });
  it.each([
    [tag, true],
    [tag.slice(2), true],
    [`"other", ${tag}`, true],
    ["*", true],
    ['W/"other"', false],
    ["", false],
    [undefined, false],
    ['",,,', false],
  ])("that sends %s holds the answer: %s", (held, expected) => {
    expect(holdsAnswer(asking(held), tag)).toBe(expected);
  });

  it("gets no body again", async () => {
    const full = taggedJson(asking(), { items: [] }, { "X-Request-Id": "1" });
    expect([full.status, await full.json()]).toEqual([200, { items: [] }]);
    const again = taggedJson(asking(full.headers.get("etag") ?? ""), { items: [] }, { "X-Request-Id": "2" });
    expect([again.status, await again.text(), again.headers.get("x-request-id")]).toEqual([304, "", "2"]);
    expect(again.headers.get("etag")).toBe(full.headers.get("etag"));
  });
});
