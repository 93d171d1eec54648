import { BlockList, isIP } from "node:net";

/** Set on every request from its socket by `app/_server/note-peer-address.ts`; what a client sends under it is overwritten. */
export const PEER_HEADER = "x-redrive-peer";

/** A request passes few proxies; a longer list is made up. */
const HOPS_MAX = 20;

/** Addresses and networks, separated by commas: `127.0.0.1, 10.0.0.0/8, fd00::/8`. @throws Error for what is neither. */
export function parseNetworks(text: string): BlockList {
  const networks = new BlockList();
  const names = text.split(",").map((name) => name.trim());
  for (const name of names.filter((one) => one !== "")) {
    const [address = "", prefix, ...rest] = name.split("/");
    const family = familyOf(address);
    const bitsMax = family === "ipv4" ? 32 : 128;
    const bits = prefix === undefined ? bitsMax : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (!family || rest.length > 0 || !(bits <= bitsMax)) {
      throw new Error(`${JSON.stringify(name)} is no address or network such as 10.0.0.0/8`);
    }
    networks.addSubnet(address, bits, family);
  }
  return networks;
}

/**
 * The address a request came from: that of its socket or, if that is a trusted proxy, the last one in X-Forwarded-For
 * that is not. What stands further left in that list the client wrote itself. Undefined: the socket is not known.
 */
export function clientAddress(headers: Headers, trusted: BlockList): string | undefined {
  let address = plainAddress(headers.get(PEER_HEADER) ?? "");
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").slice(-HOPS_MAX).reverse();
  for (const hop of hops) {
    if (address === undefined || !isWithin(trusted, address)) return address;
    const before = plainAddress(hop);
    if (before === undefined) return address;
    address = before;
  }
  return address;
}

function isWithin(networks: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && networks.check(address, family);
}

/** An address without port, brackets, zone and the form in which IPv6 sockets name IPv4 peers; undefined if it is none. */
function plainAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/^::ffff:(?=\d+\.)/i, "")
    .replace(/%.*$/, "");
  return isIP(bare) === 0 ? undefined : bare.toLowerCase();
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const family = isIP(address);
  return family === 4 ? "ipv4" : family === 6 ? "ipv6" : undefined;
}
