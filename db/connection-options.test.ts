import mysql from "mysql2/promise";
import { describe, expect, it } from "vitest";
import { DatabaseUrlError, describeTarget, parseDatabaseUrl, settingsOfPool } from "./connection-options.ts";

describe("parseDatabaseUrl", () => {
  it("takes every part", () => {
    expect(parseDatabaseUrl("mysql://shop:p%40s%2Fs%25@db.internal:3307/orders?ssl=true&connectTimeout=2000")).toEqual({
      host: "db.internal",
      port: 3307,
      user: "shop",
      password: "p@s/s%",
      database: "orders",
      ssl: { rejectUnauthorized: true },
      connectTimeout: 2_000,
    });
  });

  it("fills in the port and an empty password", () => {
    expect(parseDatabaseUrl("mariadb://root@localhost/orders")).toMatchObject({ port: 3306, password: "" });
  });

  it("takes an IPv6 host and a socket", () => {
    expect(parseDatabaseUrl("mysql://root@[::1]:3306/orders").host).toBe("::1");
    expect(parseDatabaseUrl("mysql://root@localhost/orders?socketPath=/run/my.sock").socketPath).toBe("/run/my.sock");
  });

  it.each([
    ["", "is empty"],
    ["  ", "is empty"],
    ["localhost:3306/orders", 'scheme "localhost" is not mysql or mariadb'],
    ["postgres://u@h/orders", 'scheme "postgres" is not mysql or mariadb'],
    ["mysql:u@h/orders", "the host is missing"],
    ["mysql:///orders", "the host is missing"],
    ["mysql://u@/orders", "not a URL"],
    ["mysql://u@h:0/orders", 'port "0" is not a number'],
    ["mysql://u@h:99999/orders", 'port "99999" is not a number'],
    ["mysql://u@h:port/orders", 'port "port" is not a number'],
    ["mysql://h/orders", "the user is missing"],
    ["mysql://:secret@h/orders", "the user is missing"],
    ["mysql://u:100%@h/orders", 'the password holds a "%"'],
    ["mysql://u%zz@h/orders", 'the user holds a "%"'],
    ["mysql://u@h", "the database name is missing"],
    ["mysql://u@h/", "the database name is missing"],
    ["mysql://u@h/a/b", 'database name "a/b" is not valid'],
    ["mysql://u@h/a.b", 'database name "a.b" is not valid'],
    [`mysql://u@h/${"x".repeat(65)}`, "is not valid"],
    ["mysql://u@h/orders#x", 'holds a "#"'],
    ["mysql://u@h/orders?sll=true", 'option "sll" is unknown (known: ssl, socketPath, connectTimeout)'],
    ["mysql://u@h/orders?ssl=maybe", 'ssl "maybe" is not'],
    ["mysql://u@h/orders?connectTimeout=5s", 'connectTimeout "5s" is not'],
    ["mysql://u@h/orders?connectTimeout=1", 'connectTimeout "1" is not'],
  ])("refuses %s: %s", (text, problem) => {
    expect(() => parseDatabaseUrl(text)).toThrow(DatabaseUrlError);
    expect(() => parseDatabaseUrl(text)).toThrow(problem);
    expect(() => parseDatabaseUrl(text)).toThrow("expected mysql://user:password@host:3306/database");
  });

  it.each([
    "mysql://u:geheim/x@h/orders",
    "mysql://u:geheim#x@h/orders",
    "mysql://u:geheim",
    "mysql://u:geheim?x@h:1/o",
  ])("never repeats a password, and says how to write its special characters (%#)", (text) => {
    expect(() => parseDatabaseUrl(text)).toThrow(DatabaseUrlError);
    try {
      parseDatabaseUrl(text);
    } catch (error) {
      expect(String(error)).not.toContain("geheim");
      expect(String(error)).toContain("%2F");
    }
  });
});

describe("settingsOfPool", () => {
  it("reads what is needed to open further connections of the service's own pool", async () => {
    const pool = mysql.createPool({ host: "127.0.0.1", port: 3307, user: "shop", password: "x", database: "orders" });
    expect(settingsOfPool(pool)).toMatchObject({
      host: "127.0.0.1",
      port: 3307,
      user: "shop",
      password: "x",
      database: "orders",
    });
    await pool.end();
  });

  it("reads them from a pool made with a URL", async () => {
    const pool = mysql.createPool("mysql://shop:x@127.0.0.1:3307/orders");
    expect(settingsOfPool(pool)).toMatchObject({
      host: "127.0.0.1",
      port: 3307,
      user: "shop",
      password: "x",
      database: "orders",
    });
    await pool.end();
  });
});

describe("describeTarget", () => {
  it("names user, host and database, never the password", () => {
    expect(describeTarget(parseDatabaseUrl("mysql://shop:geheim@db:3307/orders"))).toBe("shop@db:3307/orders");
  });
});
