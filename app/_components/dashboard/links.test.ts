import { describe, expect, it } from "vitest";
import { parseSearch } from "../tasks/search-text.ts";
import { FILTER_WORDS, splitWords, STATES } from "../tasks/list-view.ts";
import { tasksHref } from "./links.ts";

const wordsOf = (href: string) => new URLSearchParams(href.slice(href.indexOf("?")));

describe("a number's link", () => {
  it("speaks the words of the list's own address", () => {
    for (const state of ["due", "running", "failed", "retrying", "all"] as const) {
      const words = wordsOf(tasksHref({ state, eventType: "PAY", cause: "abcd", recycled: true }));
      expect(STATES).toContain(words.get("state") ?? "all");
      const names = [...words.keys()].filter((name) => name !== "state");
      expect(names).toEqual(["eventType", "cause", "recycled"]);
      for (const name of names) expect(FILTER_WORDS).toContain(name);
    }
  });

  it("means one event type, whatever its name holds, as a search for it does", () => {
    for (const eventType of ["PAY_ORDER", "a,b", "50%", "<b>&x=1"]) {
      const words = wordsOf(tasksHref({ state: "all", eventType }));
      expect(splitWords(words.get("eventType") ?? "")).toEqual([eventType]);
    }
    expect(parseSearch("type:PAY_ORDER")).toEqual({ eventType: "PAY_ORDER" });
  });
});
