import { gzipSync } from "node:zlib";
import { expect, test } from "./support/fixtures.ts";
import { PAGES } from "./support/pages.ts";

const FIRST_SCRIPT_BYTES_MAX = 250_000;

for (const { name, path } of PAGES) {
  test(`CONSOLE 5: ${name} needs less than ${FIRST_SCRIPT_BYTES_MAX / 1_000} kB of script, compressed, before it can be used`, async ({
    request,
  }) => {
    const html = await (await request.get(path)).text();
    // No browser that runs modules loads what is marked `nomodule`.
    const tags = [...html.matchAll(/<script([^>]*)>/g)]
      .map(([, tag = ""]) => tag)
      .filter((tag) => !/nomodule/i.test(tag));
    const sources = new Set(tags.flatMap((tag) => / src="([^"]+)"/.exec(tag)?.[1] ?? []));
    expect(sources.size).toBeGreaterThan(2);
    let bytes = 0;
    for (const source of sources) bytes += gzipSync(await (await request.get(source)).body()).length;
    test.info().annotations.push({ type: "first script", description: `${bytes} bytes` });
    expect(bytes).toBeLessThan(FIRST_SCRIPT_BYTES_MAX);
  });
}
