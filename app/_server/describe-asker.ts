import type { Role } from "../../db/schema/account.ts";
import type { Asker } from "./asker.ts";
import { type Permission, PERMISSIONS } from "./permissions.ts";

/** Who asks, as the browser is told. */
export interface AskerFacts {
  readonly name: string;
  readonly role: Role;
  /** The event types it is confined to; null: all. */
  readonly scopes: readonly string[] | null;
  readonly permissions: readonly Permission[];
  /** Signs in by OpenID Connect and has no password here. */
  readonly isExternal: boolean;
}

export function describeAsker(asker: Asker): AskerFacts {
  const names = Object.keys(PERMISSIONS) as Permission[];
  return {
    name: asker.actor,
    role: asker.role,
    scopes: asker.scopes ?? null,
    permissions: names.filter((permission) => asker.may(permission)),
    isExternal: asker.signedIn?.isExternal ?? false,
  };
}
