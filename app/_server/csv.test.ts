import { describe, expect, it } from "vitest";
import { type CsvCell, csvCell, csvLine, csvResponse } from "./csv.ts";

describe("a cell", () => {
  it.each<[CsvCell, string]>([
    ["order-7", "order-7"],
    ["", ""],
    [null, ""],
    [undefined, ""],
    [-5, "-5"],
    [1970670598291982290n, "1970670598291982290"],
    [true, "true"],
    [new Date("2026-01-02T03:04:05.678Z"), "2026-01-02T03:04:05.678Z"],
    ["订单 7 🚚", "订单 7 🚚"],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    [" spaced ", '" spaced "'],
    ["a;=1+1", '"a;=1+1"'],
  ])("%s is written as %s", (value, text) => {
    expect(csvCell(value)).toBe(text);
  });

  it.each(["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠x"])(
    "%j is no formula for a spreadsheet (CONSOLE 9)",
    (value) => {
      expect(csvCell(value).replace(/^"/, "")).toBe(
        `'${value}`.replaceAll('"', '""') + (/[\t\r\n]/.test(value) ? '"' : ""),
      );
    },
  );
});

describe("an export", () => {
  it("is a file with a byte order mark, header and rows", async () => {
    const response = await csvResponse({ name: "a b/../c.csv", header: ["id", "key"], rows: rowsOf(["1", "=x"]) });
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="a_b_.._c.csv"');
    expect(response.headers.get("content-type")).toMatch(/^text\/csv; charset=utf-8/);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(new TextDecoder().decode(bytes)).toBe("id,key\r\n1,'=x\r\n");
  });

  it("stops at its limit and says so", async () => {
    const response = await csvResponse({ name: "x.csv", header: ["n"], rows: endless(), rowsMax: 3 });
    const lines = (await response.text()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toContain("after 3 rows");
    const whole = await csvResponse({ name: "x.csv", header: ["n"], rows: rowsOf(["1"], ["2"]), rowsMax: 2 });
    expect(await whole.text()).toBe("n\r\n1\r\n2\r\n");
  });

  it("reads no further than its reader takes", async () => {
    const source = counted(endless());
    const response = await csvResponse({ name: "x.csv", header: ["n"], rows: source.rows });
    const reader = response.body?.getReader();
    await reader?.read();
    const taken = source.taken();
    expect(taken).toBeLessThan(30_000);
    await reader?.read();
    expect(source.taken()).toBeLessThan(taken * 3);
    await reader?.cancel();
    expect(source.isEnded()).toBe(true);
  });

  it("runs one at a time, and makes room when it ends, fails or is left", async () => {
    const first = await csvResponse({ name: "x.csv", header: ["n"], rows: endless() });
    await expect(csvResponse({ name: "y.csv", header: ["n"], rows: rowsOf() })).rejects.toMatchObject({
      code: "export_busy",
    });
    await first.body?.cancel();
    await expect(csvResponse({ name: "x.csv", header: ["n"], rows: failing(0) })).rejects.toThrow("no more");
    const broken = await csvResponse({ name: "x.csv", header: ["n"], rows: failing(50_000) });
    await expect(broken.text()).rejects.toThrow("no more");
    expect(await (await csvResponse({ name: "x.csv", header: ["n"], rows: rowsOf(["1"]) })).text()).toContain("1");
  });

  it("joins cells with commas and ends lines as RFC 4180 says", () => {
    expect(csvLine(["a", 1, null, "b,c"])).toBe('a,1,,"b,c"\r\n');
  });
});

async function* rowsOf(...rows: readonly CsvCell[][]): AsyncGenerator<readonly CsvCell[]> {
  yield* rows;
}

async function* endless(): AsyncGenerator<readonly CsvCell[]> {
  for (let n = 0; ; n++) yield [`row ${n}`];
}

async function* failing(after: number): AsyncGenerator<readonly CsvCell[]> {
  for (let n = 0; n < after; n++) yield [`row ${n}`];
  throw new Error("no more");
}

function counted(inner: AsyncIterable<readonly CsvCell[]>) {
  let taken = 0;
  let isEnded = false;
  const rows = (async function* () {
    try {
      for await (const row of inner) {
        taken++;
        yield row;
      }
    } finally {
      isEnded = true;
    }
  })();
  return { rows, taken: () => taken, isEnded: () => isEnded };
}
