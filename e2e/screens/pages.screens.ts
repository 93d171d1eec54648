import { test } from "../support/fixtures.ts";
import { PAGES } from "../support/pages.ts";
import { seedScene } from "../support/seed-scene.ts";

const FOLDER = ".redrive/screens";
const LANGUAGES = ["en", "zh-CN"] as const;
const THEMES = ["light", "dark"] as const;
const WIDTHS = [1440, 390] as const;

for (const { name, path } of PAGES) {
  test(`pictures of ${name}`, async ({ page, context, store, baseURL }) => {
    test.setTimeout(240_000);
    await seedScene(store);
    for (const language of LANGUAGES) {
      for (const theme of THEMES) {
        for (const width of WIDTHS) {
          await context.addCookies([
            { name: "redrive_locale", value: language, url: baseURL ?? "" },
            { name: "redrive_theme", value: theme, url: baseURL ?? "" },
          ]);
          await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
          await page.goto(path);
          await page.waitForLoadState("networkidle");
          await page.screenshot({ path: `${FOLDER}/${name}-${language}-${theme}-${width}.png`, fullPage: true });
        }
      }
    }
  });
}
