import { describe, expect, it } from "vitest";
import { parseSearch } from "./search-text.ts";

describe("parseSearch", () => {
  it.each([
    ["", {}],
    ["  ", {}],
    ["9007199254740993", { ids: "9007199254740993" }],
    ["1, 2\n3", { ids: "1,2,3" }],
    ["order-1", { bizKeyPrefix: "order-1" }],
    ["biz:123", { bizKey: "123" }],
    ["biz:ord*", { bizKeyPrefix: "ord" }],
    ["BIZ:a:b", { bizKey: "a:b" }],
    ["id:7 id:8", { ids: "7,8" }],
    ["type:PAY type:SMS", { eventType: "PAY,SMS" }],
    ['type:"my type" worker:host-1', { eventType: "my type", worker: "host-1" }],
    ["err:0123456789abcdef", { cause: "0123456789abcdef" }],
    ["bulk:12", { bulkId: "12" }],
    ["err:abandoned", { cause: "abandoned" }],
    ['err:"time out"', { errorText: "time out" }],
    ["type:100%", { eventType: "100%25" }],
    ["type:PAY order-1", { eventType: "PAY", bizKeyPrefix: "order-1" }],
    ["type:PAY 42", { eventType: "PAY", ids: "42" }],
    ["http://x", { bizKeyPrefix: "http://x" }],
    ["biz:", { bizKeyPrefix: "biz:" }],
  ])("reads %j", (text, expected) => {
    expect(parseSearch(text)).toEqual(expected);
  });
});
