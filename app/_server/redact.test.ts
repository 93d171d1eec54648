import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJson, scanJson } from "../_json/scan-json.ts";
import { redactJson, redactText, restoreMasked } from "./redact.ts";
import { isCardNumber, isIdentityNumber, MASK } from "./sensitive-text.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXRleHQ";
const PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\n-----END RSA PRIVATE KEY-----";
const IDENTITY = "11010519491231002X";
const CARD = "6222020000000000000".slice(0, 15) + "0004";
const redacted = (text: string, paths?: readonly string[]) => redactJson(text, paths)?.text;

describe("scanJson", () => {
  it("takes and refuses exactly what JSON.parse does", () => {
    const isParsed = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const pieces = fc.constantFrom(
      ...[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"\\u00e9"',
        '"\\x"',
        '"\n"',
        "1",
        "-0",
        "01",
        "1e5",
        "1.",
        "true",
        "nul",
        " ",
        '"',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (list) => isJson(list.join("")) === isParsed(list.join(""))),
      {
        numRuns: 20_000,
      },
    );
    fc.assert(fc.property(fc.json(), (text) => isJson(text)));
    fc.assert(fc.property(fc.string(), (text) => isJson(text) === isParsed(text)));
  });

  it("walks documents of any depth", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(isJson(deep)).toBe(true);
    expect(isJson(deep.slice(1))).toBe(false);
  });

  it("tells the path of every value", () => {
    const seen: string[] = [];
    scanJson('{"a":[1,{"b":null}],"a":"x"}', {
      scalar: (_, start, end, path) => seen.push(`${path.join(".")}@${start}-${end}`),
    });
    expect(seen).toEqual(["a.0@6-7", "a.1.b@13-17", "a@24-27"]);
  });
});

describe("redactJson", () => {
  it("keeps every byte of what is not secret: long integers, number texts, doubled names, layout", () => {
    const text = '{ "id": 1970670598291982290,\n\t"amount":1.10e+02, "id" :-0, "s":"\\u00e9\\/<b>" , "e":[ ] }';
    expect(redactJson(text)).toEqual({ text, masked: [] });
  });

  it.each([
    ['{"password":"x"}', `{"password":"${MASK}"}`],
    ['{"user_Pass-Word":"x"}', `{"user_Pass-Word":"${MASK}"}`],
    ['{"accessToken":123}', `{"accessToken":"${MASK}"}`],
    ['{"credentials":{"a":[1,{"b":2}]},"c":3}', `{"credentials":"${MASK}","c":3}`],
    ['{"password":null,"pwd":true}', `{"password":null,"pwd":"${MASK}"}`],
    ['{"mobile":"13812345678"}', '{"mobile":"138••••5678"}'],
    ['{"mobile":13812345678}', '{"mobile":"138••••5678"}'],
    ['{"phone":"+1 415 555 0100"}', `{"phone":"${MASK}"}`],
    ['{"note":"call +86 13812345678 now"}', '{"note":"call +86 138••••5678 now"}'],
    [`{"x":"${IDENTITY}"}`, '{"x":"110••••••••••••02X"}'],
    ['{"x":"110105194912310021"}', '{"x":"110105194912310021"}'],
    ['{"x":"4111 1111 1111 1111"}', '{"x":"••••1111"}'],
    ['{"x":4111111111111111}', '{"x":"••••1111"}'],
    ['{"x":4111111111111112}', '{"x":4111111111111112}'],
    [`{"x":"${JWT}"}`, `{"x":"eyJ${MASK}"}`],
    [`{"x":${JSON.stringify(PEM)}}`, `{"x":"-----BEGIN RSA PRIVATE KEY-----${MASK}"}`],
    ['{"13812345678":1}', '{"138••••5678":1}'],
    ['{"body":"{\\"password\\":\\"x\\",\\"n\\":1}"}', `{"body":"{\\"password\\":\\"${MASK}\\",\\"n\\":1}"}`],
    ['["13812345678"]', '["138••••5678"]'],
    ['"13812345678"', '"138••••5678"'],
    ['{"password":"a","password":"b"}', `{"password":"${MASK}","password":"${MASK}"}`],
  ])("makes of %s", (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it("masks what the settings of a type name, in every element", () => {
    const text = '{"user":{"name":"Li"},"items":[{"no":1,"q":2},{"no":"b"}]}';
    expect(redacted(text, ["$.user.name", "items[*].no"])).toBe(
      `{"user":{"name":"${MASK}"},"items":[{"no":"${MASK}","q":2},{"no":"${MASK}"}]}`,
    );
    expect(redacted(text, ["items"])).toBe(`{"user":{"name":"Li"},"items":"${MASK}"}`);
    expect(redacted('{"a":"__proto__"}', ["__proto__", "constructor.x"])).toBe('{"a":"__proto__"}');
  });

  it("shows nothing of what it cannot read", () => {
    for (const text of ["", "{", "password=x", '{"a":1}x', "{'a':1}"]) expect(redactJson(text)).toBeUndefined();
  });

  it("says where each mask stands", () => {
    const result = redactJson('{"pwd":"x","n":1,"mobile":"13812345678"}');
    expect(result?.masked.map(([start, end]) => result.text.slice(start, end))).toEqual([`"${MASK}"`, '"138••••5678"']);
  });

  it("leaves valid JSON valid, twice masked the same, and never lets a secret through", () => {
    const secret = fc.constantFrom("13812345678", IDENTITY, "4111111111111111", JWT, PEM);
    const leaf = fc.oneof(fc.string(), fc.bigInt(), secret, fc.constant(null));
    const document = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("value")),
        fc.dictionary(fc.oneof(fc.string(), secret), tie("value")),
      ),
    })).value;
    // A mark that no text of the samples is by chance.
    const write = (value: unknown) =>
      JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `bigint/7d1f0c/${one}` : one)).replace(
        /"bigint\/7d1f0c\/(-?\d+)"/g,
        "$1",
      );
    fc.assert(
      fc.property(document, (value) => {
        const text = write(value);
        const once = redacted(text);
        if (once === undefined || !isJson(once)) return false;
        const isLeaking = ["13812345678", IDENTITY, JWT].some((one) =>
          new RegExp(`(?<![\\w-])${one}(?![\\w-])`).test(once),
        );
        return !isLeaking && redacted(once) === once;
      }),
    );
  });

  it("takes time in proportion to the text, whatever it repeats", () => {
    for (const piece of ["eyJ", "1-", "-----BEGIN PRIVATE KEY-----", "token ", "86 ", '{\\"a\\":']) {
      const text = JSON.stringify({ a: piece.repeat(200_000) });
      expect(redacted(text)).toBeDefined();
    }
  });
});

describe("redactText", () => {
  it.each([
    ["login failed: password=hunter2, user=li", `login failed: password=${MASK}, user=li`],
    ["Authorization: Bearer abc.def", `Authorization: Bearer ${MASK}`],
    ['{"apiKey": "k-1"} refused', `{"apiKey": "${MASK}"} refused`],
    [`no such person ${IDENTITY}`, "no such person 110••••••••••••02X"],
    ["at 1764444131482 ms, order 1970670598291982290", "at 1764444131482 ms, order 1970670598291982290"],
  ])("makes of %s", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});

describe("the detectors", () => {
  it("test checksums", () => {
    expect(isIdentityNumber(IDENTITY)).toBe(true);
    expect(isIdentityNumber("110105194912310021")).toBe(false);
    expect(isCardNumber("4111111111111111")).toBe(true);
    expect(isCardNumber("1970670598291982290")).toBe(false);
    expect(CARD).toHaveLength(19);
  });
});

describe("restoreMasked", () => {
  const STORED = '{"pwd":"s3cret","amount":1,"list":[{"mobile":13812345678},{"mobile":"x"}]}';
  const masked = redacted(STORED) ?? "";

  it("puts back what an editor could not see", () => {
    expect(restoreMasked(STORED, masked)).toEqual({ outcome: "done", text: STORED });
    expect(restoreMasked(STORED, masked.replace('"amount":1', '"amount": 2'))).toEqual({
      outcome: "done",
      text: STORED.replace('"amount":1', '"amount": 2'),
    });
  });

  it("lets an editor replace a value without having seen it", () => {
    const edited = masked.replace(`"pwd":"${MASK}"`, '"pwd":"new"');
    expect(restoreMasked(STORED, edited)).toEqual({ outcome: "done", text: STORED.replace("s3cret", "new") });
  });

  it("refuses a mask at another place: it would be stored in place of the value", () => {
    expect(restoreMasked(STORED, masked.replace('"pwd"', '"other"'))).toEqual({ outcome: "mask_moved" });
    expect(restoreMasked(STORED, masked.replace('{"mobile":"138••••5678"},', ""))).toEqual({ outcome: "mask_moved" });
  });

  it("refuses what is not JSON any more", () => {
    expect(restoreMasked(STORED, masked.slice(1))).toEqual({ outcome: "not_json" });
  });

  it("tells the values of a doubled name apart", () => {
    const text = '{"pwd":"a","pwd":"b"}';
    expect(restoreMasked(text, redacted(text) ?? "")).toEqual({ outcome: "done", text });
  });

  it("gives any payload back whole if nothing was edited", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const shown = redacted(text);
        return (
          shown !== undefined &&
          JSON.stringify(restoreMasked(text, shown)) === JSON.stringify({ outcome: "done", text })
        );
      }),
    );
  });
});
