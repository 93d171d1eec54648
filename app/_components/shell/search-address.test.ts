import { describe, expect, it } from "vitest";
import { searchAddress } from "./search-address.ts";

describe("a search", () => {
  it.each([
    ["42", "/tasks/42"],
    [" #42 ", "/tasks/42"],
    ["0042", "/tasks/42"],
    ["1970670598291982290", "/tasks/1970670598291982290"],
    ["12345678901234567890", "/tasks?bizKeyPrefix=12345678901234567890"],
    ["0", "/tasks?ids=0"],
    ["order-42", "/tasks?bizKeyPrefix=order-42"],
    ["a&b=c#d/../e", "/tasks?bizKeyPrefix=a%26b%3Dc%23d%2F..%2Fe"],
    ["订单", "/tasks?bizKeyPrefix=%E8%AE%A2%E5%8D%95"],
    ["worker:w-1 type:PAY", "/tasks?worker=w-1&eventType=PAY"],
  ])("for %j leads to %s", (text, address) => {
    expect(searchAddress(text)).toBe(address);
  });

  it("for nothing leads nowhere", () => {
    expect(searchAddress("  ")).toBeUndefined();
  });
});
