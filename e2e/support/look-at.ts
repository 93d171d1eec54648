import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./fixtures.ts";

const SHOTS = process.env["REDRIVE_SHOTS"];
const SIZES = [
  [1440, 900],
  [390, 844],
] as const;

/**
 * Looks at a page as it stands: no fault that keeps people from using it, serious or critical, may be in it. With
 * REDRIVE_SHOTS=<folder> it takes pictures, too, wide and narrow. `name` is that of the fault and of the picture.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  // The guards that keep the focus within an open menu are no part of what people use.
  const { violations } = await new AxeBuilder({ page }).exclude("[data-base-ui-focus-guard]").analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(grave.map(({ id, nodes }) => [name, id, nodes.map(({ html }) => html)])).toEqual([]);
  if (SHOTS === undefined) return;
  const before = page.viewportSize();
  const look = await page.evaluate(() => {
    const { lang, dataset } = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    return `${lang}-${dataset["theme"] ?? system}`;
  });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: `${SHOTS}/${name}-${look}-${width}.png` });
  }
  if (before) await page.setViewportSize(before);
}
