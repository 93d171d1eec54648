import { expect, type Page } from "@playwright/test";

/** The page is no wider than its window, once what its script lays out has followed. */
export async function expectToFit(page: Page): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(overflow, "how far the page goes beyond its window").toBe(0);
}
