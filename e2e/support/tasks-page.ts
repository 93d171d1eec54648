import type { Locator, Page } from "@playwright/test";

/** The task list as a person sees it. */
export class TasksPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get list(): Locator {
    return this.page.getByRole("region", { name: "Tasks" });
  }

  get table(): Locator {
    return this.page.getByRole("table", { name: "Tasks of this list, one page" });
  }

  tab(name: string): Locator {
    return this.page.getByRole("group", { name: "State" }).getByRole("button", { name: new RegExp(`^${name}\\b`) });
  }

  get rows(): Locator {
    return this.page.locator("tr[data-task]");
  }

  row(id: string): Locator {
    return this.page.locator(`tr[data-task="${id}"]`);
  }

  /** The biz keys on the page, from top to bottom, as they are stored. */
  async keys(): Promise<string[]> {
    return this.page
      .locator("[data-row-link] > span")
      .evaluateAll((links) => links.map((link) => link.getAttribute("title") ?? ""));
  }

  async search(text: string): Promise<void> {
    await this.page.getByRole("searchbox", { name: "Search tasks" }).fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** A task that is open beside the list. */
  drawer(id: string): Locator {
    return this.page.getByRole("region", { name: `Task ${id}`, exact: true });
  }

  async refresh(): Promise<void> {
    await this.page.getByRole("button", { name: "Refresh now" }).click();
  }

  /** The focus is on the row's own link. */
  link(id: string): Locator {
    return this.page.locator(`[data-row-link="${id}"]`);
  }
}
