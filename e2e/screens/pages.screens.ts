import { test } from "../support/fixtures.ts";
import { PAGES } from "../support/pages.ts";
import { ALL_LOOKS } from "../support/looks.ts";
import { seedScene } from "../support/seed-scene.ts";
import { takePictures } from "./take-pictures.ts";

for (const { name, path } of PAGES) {
  test(`pictures of ${name}`, async ({ page, store }) => {
    test.setTimeout(240_000);
    await seedScene(store);
    await takePictures(page, { name, path, looks: ALL_LOOKS, widths: [1440, 390], isWhole: true });
  });
}
