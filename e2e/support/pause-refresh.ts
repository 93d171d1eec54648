import { expect, type Page } from "@playwright/test";

/** Pauses the refresh and waits for what is being read: from then on the page knows nothing that is done elsewhere. */
export async function pauseRefresh(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Pause refresh" }).click();
  await expect(page.getByRole("button", { name: "Resume refresh" })).toBeVisible();
  const isReading = page.getByRole("button", { name: "Refresh now" }).locator(".animate-spin");
  await expect(isReading).toHaveCount(0);
}
