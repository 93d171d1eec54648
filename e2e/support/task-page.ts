import type { Locator, Page } from "@playwright/test";

/** The page of one task as a person sees it. */
export class TaskPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(id: string): Promise<void> {
    await this.page.goto(`/tasks/${id}`);
    await this.heading.waitFor();
  }

  get heading(): Locator {
    return this.page.getByRole("heading", { level: 1 });
  }

  /** The header with the state and the actions. */
  get header(): Locator {
    return this.page.locator("header").filter({ has: this.heading });
  }

  section(name: string): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name });
  }

  get popover(): Locator {
    return this.page.getByRole("dialog");
  }

  get conflict(): Locator {
    return this.page.getByRole("alert").filter({ hasText: "Nothing was changed" });
  }

  get messages(): Locator {
    return this.page.getByRole("region", { name: "Messages" }).getByRole("status");
  }

  async openReset(): Promise<void> {
    await this.button(/^Reset…/).click();
    await this.popover.waitFor();
  }

  get confirmReset(): Locator {
    return this.popover.getByRole("button", { name: "Reset 1 task" });
  }
}
