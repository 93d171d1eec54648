import { expect, type Locator, type Page } from "@playwright/test";

/**
 * Opens a menu and answers one of its items. The button may have come into the page in this very moment, too early for
 * the press to be heard: it is pressed again until the item is there.
 */
export async function openMenu(page: Page, button: Locator, item: string | RegExp): Promise<Locator> {
  const choice = page.getByRole("menuitem", { name: item });
  await expect(async () => {
    if (!(await choice.isVisible())) await button.click();
    await expect(choice).toBeVisible({ timeout: 2_000 });
  }).toPass();
  return choice;
}

/** Opens a menu and chooses an item of it. */
export async function chooseFromMenu(page: Page, button: Locator, item: string | RegExp): Promise<void> {
  await (await openMenu(page, button, item)).click();
}
