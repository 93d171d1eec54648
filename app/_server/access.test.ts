import { describe, expect, it } from "vitest";
import { type AccessPolicy, checkMayAct, checkMayRead } from "./access.ts";
import { ConsoleError } from "./console-error.ts";

const token = "0123456789abcdef0123456789abcdef";
const onLoopback: AccessPolicy = { boundHost: "127.0.0.1", publicOrigin: undefined, token: undefined };
const onNetwork: AccessPolicy = { boundHost: "0.0.0.0", publicOrigin: undefined, token: undefined };
const unstated: AccessPolicy = { boundHost: undefined, publicOrigin: undefined, token: undefined };

const ownPage = {
  host: "localhost:3000",
  origin: "http://localhost:3000",
  "content-type": "application/json",
  "sec-fetch-site": "same-origin",
};

describe("acting", () => {
  it.each([
    ["the console's own page on this machine", ownPage, onLoopback],
    ["its page under 127.0.0.1", { ...ownPage, host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000" }, onLoopback],
    ["its page under [::1]", { ...ownPage, host: "[::1]:3000", origin: "http://[::1]:3000" }, onLoopback],
    ["a browser that sends no Sec-Fetch-Site", without(ownPage, "sec-fetch-site"), onLoopback],
    ["a machine with the token", machine(token), { ...onNetwork, token }],
    [
      "the page behind a proxy with the token",
      { ...ownPage, origin: "https://ops.example.com", ...machine(token), "sec-fetch-site": "same-origin" },
      { ...onLoopback, token, publicOrigin: "https://ops.example.com" },
    ],
  ])("is open to %s", (_, headers, policy) => {
    expect(() => checkMayAct(new Headers(headers), policy)).not.toThrow();
  });

  it.each([
    ["another site", "foreign_origin", { ...ownPage, origin: "https://evil.example" }, onLoopback],
    ["another port of this machine", "foreign_origin", { ...ownPage, origin: "http://localhost:4000" }, onLoopback],
    ["a sandboxed frame", "foreign_origin", { ...ownPage, origin: "null" }, onLoopback],
    ["a request without Origin", "foreign_origin", without(ownPage, "origin"), onLoopback],
    ["a cross-site fetch", "foreign_origin", { ...ownPage, "sec-fetch-site": "cross-site" }, onLoopback],
    ["a form", "wrong_content_type", { ...ownPage, "content-type": "text/plain" }, onLoopback],
    ["a request without a content type", "wrong_content_type", without(ownPage, "content-type"), onLoopback],
    [
      "another host name",
      "token_required",
      { ...ownPage, host: "evil.example", origin: "http://evil.example" },
      onLoopback,
    ],
    ["a name that only begins like loopback", "token_required", named("127.0.0.1.evil.example"), onLoopback],
    ["a forged Host on a console open to the network", "token_required", ownPage, onNetwork],
    ["a console that was not told where it is bound", "token_required", ownPage, unstated],
    ["a client behind a proxy", "token_required", { ...ownPage, "x-forwarded-for": "192.0.2.7" }, onLoopback],
    ["a wrong token", "foreign_origin", machine(`${token}x`), { ...onNetwork, token }],
    ["a token when none is set", "foreign_origin", machine(token), onNetwork],
  ])("is closed to %s", (_, code, headers, policy) => {
    expect(codeOf(() => checkMayAct(new Headers(headers), policy))).toBe(code);
  });
});

describe("reading", () => {
  it("is closed to a foreign name that points at this machine", () => {
    expect(codeOf(() => checkMayRead(new Headers({ host: "rebound.example" }), onLoopback))).toBe("unknown_host");
  });

  it.each([
    ["a loopback name", "localhost:3000", onLoopback],
    ["the public origin", "ops.example.com", { ...onLoopback, publicOrigin: "https://ops.example.com" }],
    ["any name once an operator bound it to the network", "ops.example.com", onNetwork],
  ])("is open under %s", (_, host, policy) => {
    expect(() => checkMayRead(new Headers({ host }), policy)).not.toThrow();
  });
});

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function named(host: string): Record<string, string> {
  return { ...ownPage, host, origin: `http://${host}` };
}

function machine(bearer: string): Record<string, string> {
  return { host: "console:3000", "content-type": "application/json", authorization: `Bearer ${bearer}` };
}

function codeOf(work: () => void): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof ConsoleError ? error.code : String(error);
  }
  return undefined;
}
