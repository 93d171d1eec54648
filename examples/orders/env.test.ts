import { describe, expect, it } from "vitest";
import { parseDownstreamEnv, parseHandlerEnv, parseServiceEnv } from "./env.ts";

describe("environment of the order service", () => {
  it("names every problem at once", () => {
    const parse = () => parseServiceEnv({ ORDER_SERVICE_PORT: "abc", ORDER_RETRY_MAX: "0" });
    expect(parse).toThrow(/DATABASE_URL/);
    expect(parse).toThrow(/ORDER_SERVICE_PORT: must be a whole number/);
    expect(parse).toThrow(/ORDER_RETRY_MAX/);
  });

  it("takes an empty variable as not set", () => {
    expect(parseHandlerEnv({ ORDER_RETRY_SECONDS: "" }).ORDER_RETRY_SECONDS).toBe(1);
  });

  it("fills in the rates that are left out and refuses impossible ones", () => {
    const rates = (text: string) => parseDownstreamEnv({ DOWNSTREAM_RATES: text }).DOWNSTREAM_RATES;
    expect(rates('{"broken":0.5}')).toMatchObject({ broken: 0.5, flaky: 0.06 });
    expect(() => rates('{"broken":0.9,"flaky":0.9}')).toThrow(/add up/);
    expect(() => rates('{"borken":0.1}')).toThrow(/borken/);
    expect(() => rates("lots")).toThrow(/is not JSON/);
  });
});
