import { describe, expect, it } from "vitest";
import { type AccessPolicy, bearerToken, checkContentType, checkHost, checkOrigin, isSameSecret } from "./access.ts";
import { ConsoleError } from "./console-error.ts";

const onlyHere: AccessPolicy = { publicOrigin: undefined };
const behindProxy: AccessPolicy = { publicOrigin: "https://ops.example.com" };

const ownPage = {
  host: "localhost:3000",
  origin: "http://localhost:3000",
  "content-type": "application/json",
  "sec-fetch-site": "same-origin",
};
const publicPage = { ...ownPage, host: "ops.example.com", origin: "https://ops.example.com" };

describe("a change", () => {
  it.each([
    ["the console's own page on this machine", ownPage, onlyHere],
    ["its page under 127.0.0.1", { ...ownPage, host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000" }, onlyHere],
    ["its page under [::1]", { ...ownPage, host: "[::1]:3000", origin: "http://[::1]:3000" }, onlyHere],
    ["a browser that sends no Sec-Fetch-Site", without(ownPage, "sec-fetch-site"), onlyHere],
    ["the page under the public origin", publicPage, behindProxy],
    ["the page behind a proxy that keeps no host", { ...publicPage, host: "127.0.0.1:3000" }, behindProxy],
    ["the page on the machine of a console that has a public origin", ownPage, behindProxy],
  ])("is taken from %s", (_, headers, policy) => {
    expect(codeOf(new Headers(headers), policy)).toBeUndefined();
  });

  it.each([
    ["another site", "foreign_origin", { ...ownPage, origin: "https://evil.example" }, onlyHere],
    ["another port of this machine", "foreign_origin", { ...ownPage, origin: "http://localhost:4000" }, onlyHere],
    ["a sandboxed frame", "foreign_origin", { ...ownPage, origin: "null" }, onlyHere],
    ["a request without Origin", "foreign_origin", without(ownPage, "origin"), onlyHere],
    ["a cross-site fetch", "foreign_origin", { ...ownPage, "sec-fetch-site": "cross-site" }, onlyHere],
    ["a sister domain", "foreign_origin", { ...publicPage, "sec-fetch-site": "same-site" }, behindProxy],
    ["the public name without TLS", "foreign_origin", { ...publicPage, origin: "http://ops.example.com" }, behindProxy],
    ["a name that points at this machine", "foreign_origin", named("evil.example"), onlyHere],
    ["a name that only begins like loopback", "foreign_origin", named("127.0.0.1.evil.example"), onlyHere],
    ["a form", "wrong_content_type", { ...ownPage, "content-type": "text/plain" }, onlyHere],
    ["a request without a content type", "wrong_content_type", without(ownPage, "content-type"), onlyHere],
  ])("is refused from %s", (_, code, headers, policy) => {
    expect(codeOf(new Headers(headers), policy)).toBe(code);
  });
});

describe("a person", () => {
  it.each([
    ["a loopback name", "localhost:3000", onlyHere],
    ["a loopback address", "127.0.0.1:3000", onlyHere],
    ["the public origin", "ops.example.com", behindProxy],
  ])("may use the console under %s", (_, host, policy) => {
    expect(thrownBy(() => checkHost(new Headers({ host }), policy))).toBeUndefined();
  });

  it.each([
    ["a foreign name that points at this machine", "rebound.example", onlyHere],
    ["a name that only begins like loopback", "127.0.0.1.evil.example", onlyHere],
    ["an address of the network without a public origin", "192.0.2.7:3000", onlyHere],
    ["another name than the public one", "ops.example.com:8080", behindProxy],
  ])("may not use it under %s", (_, host, policy) => {
    expect(thrownBy(() => checkHost(new Headers({ host }), policy))).toBe("unknown_host");
  });
});

describe("a machine", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["Bearer ", undefined],
    ["Basic abc", undefined],
    ["", undefined],
  ])("that sends %j shows the token %j", (authorization, token) => {
    expect(bearerToken(new Headers({ authorization }))).toBe(token);
  });

  it("is known by the whole secret only, and never if there is none", () => {
    expect(isSameSecret("secret", "secret")).toBe(true);
    expect(isSameSecret("secre", "secret")).toBe(false);
    expect(isSameSecret("secret", undefined)).toBe(false);
  });
});

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function named(host: string): Record<string, string> {
  return { ...ownPage, host, origin: `http://${host}` };
}

function codeOf(headers: Headers, policy: AccessPolicy): string | undefined {
  return thrownBy(() => {
    checkContentType(headers);
    checkOrigin(headers, policy);
  });
}

function thrownBy(work: () => void): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof ConsoleError ? error.code : String(error);
  }
  return undefined;
}
