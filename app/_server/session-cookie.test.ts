import { describe, expect, it } from "vitest";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import {
  endedSessionCookie,
  idTokenCookie,
  presentedIdToken,
  presentedSession,
  sessionCookie,
} from "./session-cookie.ts";

const secure = { publicOrigin: "https://ops.example.com" };
const plain = { publicOrigin: undefined };

describe("the cookie of what a provider said", () => {
  it("goes with the sign-out alone, and comes back as it was", () => {
    expect(idTokenCookie("a.b-c.d_e", secure)).toBe(
      "__Secure-redrive-id-token=a.b-c.d_e; Path=/api/v1/sign-out; Max-Age=43200; HttpOnly; SameSite=Lax; Secure",
    );
    const headers = new Headers({ cookie: "redrive_id_token=a.b-c.d_e" });
    expect(presentedIdToken(headers, plain)).toBe("a.b-c.d_e");
    expect(presentedIdToken(headers, secure)).toBeUndefined();
  });

  it.each([undefined, "", "a".repeat(3_901), "a;b", "a b", "a\r\nb"])("forgets the one before it for %j", (idToken) => {
    expect(idTokenCookie(idToken, plain)).toBe(
      "redrive_id_token=; Path=/api/v1/sign-out; Max-Age=0; HttpOnly; SameSite=Lax",
    );
  });
});

describe("the session cookie", () => {
  it("is bound to the host and to TLS under a public https origin", () => {
    expect(sessionCookie("t", secure)).toBe("__Host-redrive=t; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure");
    expect(endedSessionCookie(secure)).toMatch(/^__Host-redrive=; Path=\/; Max-Age=0;/);
  });

  it("has a plain name without TLS", () => {
    expect(sessionCookie("t", plain)).toBe("redrive_session=t; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax");
  });

  it("is read back as the hash of its token, from among others", () => {
    const token = newSecretToken();
    const cookie = `redrive_theme=dark; redrive_session=${token}; redrive_zone=utc`;
    expect(presentedSession(new Headers({ cookie }), plain)).toBe(tokenHash(token));
    expect(presentedSession(new Headers({ cookie }), secure), "a plain cookie planted under TLS").toBeUndefined();
  });

  it.each(["", "redrive_session", "redrive_session=", "redrive_session=short", `redrive_session=${"a".repeat(44)}`])(
    "is not read from %j",
    (cookie) => {
      expect(presentedSession(new Headers({ cookie }), plain)).toBeUndefined();
    },
  );
});
