import { expect, type Page } from "@playwright/test";

/** Single keys act once the page's script has begun; the mark of the system's state comes with it. */
export async function untilKeysAct(page: Page): Promise<void> {
  await expect(page.locator("[data-verdict]").first(), "the page takes keys").toBeVisible();
}
