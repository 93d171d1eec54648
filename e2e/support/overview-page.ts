import type { Locator, Page } from "@playwright/test";

/** The overview as a person sees it. */
export class OverviewPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The number of a tile, found by its label. */
  tile(label: string): Locator {
    const term = this.page.getByRole("term").filter({ hasText: label });
    return this.page.locator("dl > div").filter({ has: term }).getByRole("definition").first();
  }

  /** What stands below the number of a tile. */
  note(label: string): Locator {
    const term = this.page.getByRole("term").filter({ hasText: label });
    return this.page.locator("dl > div").filter({ has: term }).getByRole("definition").nth(1);
  }

  /** The row of an event type in the table of counts. */
  type(name: string): Locator {
    return this.types.getByRole("row").filter({ has: this.page.getByRole("rowheader", { name, exact: true }) });
  }

  get types(): Locator {
    return this.page.getByRole("table", { name: "Live counts per event type" });
  }

  get failedList(): Locator {
    return this.page.getByRole("region", { name: "Failed tasks" });
  }

  /** The row of a failed task, found by its id. */
  task(id: string): Locator {
    return this.failedList.getByRole("row").filter({ has: this.page.getByText(id, { exact: true }) });
  }

  resetButton(id: string): Locator {
    return this.page.getByRole("button", { name: new RegExp(`^Reset task ${id},`) });
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog", { name: "Reset this task?" });
  }

  get confirmButton(): Locator {
    return this.dialog.getByRole("button", { name: "Reset 1 task" });
  }

  get messages(): Locator {
    return this.page.getByRole("region", { name: "Messages" }).getByRole("status");
  }
}
