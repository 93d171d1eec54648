import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findFreePort, parseHandshake, readServerVersion } from "./handshake.mjs";

const greeting = (version: string) => Buffer.from(`\x4a\0\0\0\x0a${version}\0rest`, "latin1");

test("reads the version of MySQL and of MariaDB, without the prefix for old replicas", () => {
  expect(parseHandshake(greeting("9.7.0"))).toBe("9.7.0");
  expect(parseHandshake(greeting("5.5.5-10.11.14-MariaDB"))).toBe("10.11.14-MariaDB");
});

test("waits for a greeting that arrives in pieces", () => {
  expect(parseHandshake(greeting("9.7.0").subarray(0, 7))).toBeUndefined();
});

test("takes neither a refusal nor another protocol for a server", () => {
  expect(parseHandshake(Buffer.from("\x10\0\0\0\xffrefused", "latin1"))).toBeNull();
  expect(parseHandshake(Buffer.from("HTTP/1.1 200 OK"))).toBeNull();
});

test("answers null where nobody listens and takes another port than a busy one", async () => {
  const server = createServer((socket) => socket.end(greeting("9.7.0")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await readServerVersion({ host: "127.0.0.1", port })).toBe("9.7.0");
  expect(await findFreePort(port)).not.toBe(port);
  await new Promise((resolve) => server.close(resolve));
  expect(await readServerVersion({ host: "127.0.0.1", port })).toBeNull();
  expect(await findFreePort(port)).toBe(port);
});
