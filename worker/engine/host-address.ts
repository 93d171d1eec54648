import { networkInterfaces } from "node:os";

/** The first address of this host that is not its loopback, for people; never an identity. At most 40 characters. */
export function hostAddress(): string {
  for (const addresses of Object.values(networkInterfaces())) {
    for (const address of addresses ?? []) {
      if (!address.internal) return address.address.slice(0, 40);
    }
  }
  return "127.0.0.1";
}
