import type { Page } from "@playwright/test";
import { expect, test } from "./support/fixtures.ts";
import { PAGES } from "./support/pages.ts";
import { seedScene } from "./support/seed-scene.ts";

/** What a person presses or goes by; each is read whole or is no help. */
const LABELS = "button, a.button, label, legend, h1, h2, h3, summary, [role=tab], nav a";

/** The labels of which a part is not shown, be it cut off or replaced by an ellipsis. */
async function clippedLabels(page: Page): Promise<string[]> {
  return page.evaluate((labels) => {
    const clips = (element: Element) => /hidden|clip/.test(getComputedStyle(element).overflowX);
    const isCut = (text: DOMRect, label: Element) => {
      for (let box: Element | null = label; box && box !== document.body; box = box.parentElement) {
        const { left, right } = box.getBoundingClientRect();
        if (clips(box) && (text.left < left - 1 || text.right > right + 1)) return true;
        // What lies beyond the edge of a frame that scrolls is reached by scrolling.
        if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false;
      }
      return false;
    };
    const isForListenersOnly = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).clipPath === "inset(50%)" || isForListenersOnly(element.parentElement));
    const found: string[] = [];
    for (const label of document.querySelectorAll(labels)) {
      if (!label.checkVisibility({ visibilityProperty: true })) continue;
      const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const parent = node.parentElement;
        if (!parent || !node.textContent?.trim() || parent.closest("select") || isForListenersOnly(parent)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        if (isCut(range.getBoundingClientRect(), parent)) found.push(label.textContent.trim());
      }
    }
    return found;
  }, LABELS);
}

for (const language of ["en", "zh-CN"] as const) {
  test(`CONSOLE 9: no label is clipped at 200 % zoom and at 320 px, in ${language}`, async ({
    page,
    store,
    baseURL,
  }) => {
    test.slow();
    await seedScene(store);
    await page.context().addCookies([{ name: "redrive_locale", value: language, url: baseURL ?? "" }]);
    for (const { name, path } of PAGES) {
      await page.goto(path, { waitUntil: "networkidle" });
      // 720 px are what a window of 1440 px has at 200 %.
      for (const width of [720, 320]) {
        await page.setViewportSize({ width, height: 640 });
        // What the page's scripts lay out follows the new width by a turn.
        await expect.poll(() => clippedLabels(page), { message: `${name} at ${width} px` }).toEqual([]);
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), {
            message: `how far ${name} goes beyond the edge at ${width} px`,
          })
          .toBeLessThanOrEqual(0);
      }
    }
  });
}
