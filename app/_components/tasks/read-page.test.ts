import { describe, expect, it } from "vitest";
import type { TaskItem, TaskPage } from "../../_server/list-tasks.ts";
import type { ListView } from "./list-view.ts";
import { LOOKED_ROWS_MAX, readPage, SEARCHED_ROWS_MAX } from "./read-page.ts";

const VIEW: ListView = {
  ...{ state: "retrying", filter: {}, sort: undefined, cursor: undefined, at: undefined, task: undefined },
  ...{ limit: "50", columns: undefined },
};
const item = (id: number) => ({ id: String(id) }) as TaskItem;
const items = (...ids: number[]) => ids.map(item);
const part = (values: Partial<TaskPage>): TaskPage => ({
  ...{ asOf: "2026-01-01T00:00:00.000Z", items: [], startCursor: undefined, nextCursor: undefined },
  ...{ prevCursor: undefined, order: { by: "due", direction: "asc" }, orders: ["due"], scanned: 100 },
  ...{ exhausted: true, searchOn: undefined, searchedMs: undefined },
  ...values,
});
const stopped = (searchOn: "next" | "prev", values: Partial<TaskPage>) =>
  part({ exhausted: false, searchOn, [searchOn === "next" ? "nextCursor" : "prevCursor"]: "on", ...values });

/** Reads the view from answers that come one after another. */
async function reading(view: ListView, answers: readonly TaskPage[]) {
  const paths: string[] = [];
  const shown: (readonly string[])[] = [];
  const page = await readPage(view, {
    read: (path) => Promise.resolve(answers[paths.push(path) - 1] ?? part({ items: items(999) })),
    onPart: ({ items }) => shown.push(items.map(({ id }) => id)),
  });
  return { page, shown, paths, ids: page.items.map(({ id }) => id) };
}

describe("readPage", () => {
  it("asks once for a page that is whole, and once for one that is full", async () => {
    const whole = part({ items: items(1, 2) });
    expect(await reading(VIEW, [whole])).toMatchObject({
      page: whole,
      paths: ["/api/v1/tasks?state=retrying"],
      shown: [],
    });
    const full = stopped("next", { items: items(1, 2) });
    expect((await reading({ ...VIEW, limit: "2" }, [full])).page).toBe(full);
  });

  it("goes on where an answer ended, for as many rows as are missing, and shows what there is meanwhile", async () => {
    const { page, paths, shown, ids } = await reading(VIEW, [
      stopped("next", { items: [], nextCursor: "a" }),
      stopped("next", { items: items(1, 2), nextCursor: "b", prevCursor: "back", startCursor: "start" }),
      part({ items: items(3), nextCursor: "c", prevCursor: "back-2", startCursor: "start-2" }),
    ]);
    expect(paths.map((path) => path.replace(/.*\?/, ""))).toEqual([
      "state=retrying",
      "state=retrying&cursor=a",
      "state=retrying&limit=48&cursor=b",
    ]);
    expect(shown).toEqual([[], ["1", "2"]]);
    expect(ids).toEqual(["1", "2", "3"]);
    // It begins where its first part began: nothing stands before it.
    expect(page).toMatchObject({ scanned: 300, exhausted: true, nextCursor: "c", startCursor: "start" });
    expect(page.prevCursor).toBeUndefined();
  });

  it("grows upwards on the way back", async () => {
    const { page, ids } = await reading({ ...VIEW, cursor: "here" }, [
      stopped("prev", { items: items(8, 9), prevCursor: "a", nextCursor: "forth", startCursor: "start" }),
      part({ items: items(6, 7), prevCursor: "b", nextCursor: "forth-2", startCursor: "start-2" }),
    ]);
    expect(ids).toEqual(["6", "7", "8", "9"]);
    expect(page).toMatchObject({ prevCursor: "b", nextCursor: "forth", startCursor: "start-2" });
  });

  it("shows a task once that moved on in the order between two parts", async () => {
    const { ids } = await reading(VIEW, [
      stopped("next", { items: items(1, 2) }),
      stopped("next", { items: items(2, 3) }),
      part({ items: items(1) }),
    ]);
    expect(ids).toEqual(["1", "2", "3"]);
  });

  it.each([
    ["rows", VIEW, LOOKED_ROWS_MAX],
    ["payloads", { ...VIEW, filter: { payload: "A-77" } }, SEARCHED_ROWS_MAX],
  ] as const)("stops for a person's word once it looked at enough %s", async (_, view, rowsMax) => {
    const answers = Array.from({ length: 100 }, () => stopped("next", { scanned: 1_500, searchedMs: 200 }));
    const { page, paths } = await reading(view, answers);
    expect(paths).toHaveLength(Math.ceil(rowsMax / 1_500));
    expect(page).toMatchObject({ exhausted: false, searchOn: "next", searchedMs: paths.length * 200 });
  });
});
