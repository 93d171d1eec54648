import { expect, it } from "vitest";
import { readableUrl } from "./note-requests.ts";

it("leaves an address alone that can be read, and takes the signs of one literally that cannot", () => {
  for (const url of ["/", "/tasks?bizKey=%E0%A4%A", "/api/v1/tasks/%E5%8D%95?x=1?y=%", "*"]) {
    expect(readableUrl(url)).toBe(url);
  }
  for (const [url, read] of [
    ["/api/v1/tasks/%E0%A4%A/reset", "/api/v1/tasks/%25E0%25A4%25A/reset"],
    ["/tasks/%?a=%E5%8D%95", "/tasks/%25?a=%E5%8D%95"],
    ["/%ff/%41", "/%25ff/%2541"],
  ] as const) {
    expect(readableUrl(url)).toBe(read);
    expect(decodeURIComponent(read.split("?")[0] ?? "")).toBe(url.split("?")[0]);
  }
});
