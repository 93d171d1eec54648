import { describe, expect, it } from "vitest";
import { clientAddress, parseNetworks, PEER_HEADER } from "./client-address.ts";

const trusted = parseNetworks("127.0.0.1, 10.0.0.0/8, fd00::/8");
const from = (peer: string | undefined, forwarded?: string) =>
  clientAddress(
    new Headers({
      ...(peer === undefined ? {} : { [PEER_HEADER]: peer }),
      ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
    }),
    trusted,
  );

describe("the address of a client", () => {
  it.each([
    ["that of the socket", "192.0.2.7", undefined, "192.0.2.7"],
    ["that of the socket, whatever an untrusted client forwards", "192.0.2.7", "10.0.0.1", "192.0.2.7"],
    ["what a trusted proxy forwards", "127.0.0.1", "192.0.2.7", "192.0.2.7"],
    [
      "the last that no proxy of ours has, not what the client wrote before it",
      "10.1.2.3",
      "8.8.8.8, 192.0.2.7, 10.9.9.9",
      "192.0.2.7",
    ],
    ["that of an IPv4 peer of an IPv6 socket", "::ffff:127.0.0.1", "192.0.2.7", "192.0.2.7"],
    ["an IPv6 address", "fd00::1", "2001:db8::7", "2001:db8::7"],
    ["without brackets and port", "127.0.0.1", "[2001:DB8::7]:4711", "2001:db8::7"],
    ["without port", "127.0.0.1", "192.0.2.7:4711", "192.0.2.7"],
    ["the proxy's own where it forwards nothing", "127.0.0.1", undefined, "127.0.0.1"],
    ["the proxy's own where it forwards no address", "127.0.0.1", "<script>", "127.0.0.1"],
    ["the first of all if all are ours", "127.0.0.1", "10.0.0.1", "10.0.0.1"],
    ["unknown without a socket, whatever is forwarded", undefined, "192.0.2.7", undefined],
  ])("is %s", (_, peer, forwarded, expected) => {
    expect(from(peer, forwarded)).toBe(expected);
  });

  it.each(["proxy.internal", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/"])(
    "is believed of no proxy written as %s",
    (text) => {
      expect(() => parseNetworks(text)).toThrow("is no address or network");
    },
  );
});
