import { describe, expect, it } from "vitest";
import { searchAddress } from "./search-address.ts";

describe("a search", () => {
  it.each([
    ["42", "/tasks/42"],
    [" #42 ", "/tasks/42"],
    ["0042", "/tasks/42"],
    ["1970670598291982290", "/tasks/1970670598291982290"],
    ["12345678901234567890", "/tasks?q=12345678901234567890"],
    ["0", "/tasks?q=0"],
    ["order-42", "/tasks?q=order-42"],
    ["a&b=c#d/../e", "/tasks?q=a%26b%3Dc%23d%2F..%2Fe"],
    ["订单 7", "/tasks?q=%E8%AE%A2%E5%8D%95+7"],
  ])("for %j leads to %s", (text, address) => {
    expect(searchAddress(text)).toBe(address);
  });

  it("for nothing leads nowhere", () => {
    expect(searchAddress("  ")).toBeUndefined();
  });
});
