import { expect, type Locator } from "@playwright/test";

/**
 * Presses a button that tries again until something is seen. A press may come too early, before what failed is back; and
 * the page may try again by itself, so that the button is gone.
 */
export async function pressUntil(button: Locator, seen: Locator): Promise<void> {
  await expect(async () => {
    if (await button.isVisible()) await button.click({ timeout: 3_000 });
    await expect(seen).toBeVisible({ timeout: 3_000 });
  }).toPass();
}
