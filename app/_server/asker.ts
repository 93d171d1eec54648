import type { Role } from "../../db/schema/account.ts";
import type { ActorKind } from "../../db/schema/audit.ts";
import { ConsoleError } from "./console-error.ts";
import { type Permission, PERMISSIONS, roleMay } from "./permissions.ts";

/** The account and the session of a person who is signed in. */
export interface SignedIn {
  readonly accountId: string;
  /** Names the session in the table; the token itself is not kept. */
  readonly sessionHash: string;
  /** Signs in by OpenID Connect. */
  readonly isExternal: boolean;
  /** How long ago the person last proved to be the one, by the database's clock; undefined: not in this session. */
  readonly confirmedMsAgo: number | undefined;
}

/** Who asks, what that person or machine may do, and for which event types. */
export class Asker {
  /** As the history and the audit name it. */
  readonly actor: string;
  readonly actorKind: ActorKind;
  readonly role: Role;
  /** The event types it is confined to; undefined: all. */
  readonly scopes: readonly string[] | undefined;
  readonly ip: string | undefined;
  readonly requestId: string;
  /** Undefined for machines. */
  readonly signedIn: SignedIn | undefined;

  constructor(parts: {
    readonly actor: string;
    readonly actorKind: ActorKind;
    readonly role: Role;
    readonly scopes: readonly string[] | undefined;
    readonly ip: string | undefined;
    readonly requestId: string;
    readonly signedIn?: SignedIn | undefined;
  }) {
    this.actor = parts.actor;
    this.actorKind = parts.actorKind;
    this.role = parts.role;
    this.scopes = parts.scopes;
    this.ip = parts.ip;
    this.requestId = parts.requestId;
    this.signedIn = parts.signedIn;
  }

  may(permission: Permission): boolean {
    return roleMay(this.role, permission);
  }

  sees(eventType: string): boolean {
    return this.scopes === undefined || this.scopes.includes(eventType);
  }

  /** @throws ConsoleError forbidden unless the role grants it. */
  mustMay(permission: Permission): void {
    if (this.may(permission)) return;
    throw new ConsoleError("forbidden", `the role ${this.role} may not do this`, {
      details: { permission, roles: PERMISSIONS[permission] },
    });
  }

  /** The account and session of a person. @throws ConsoleError forbidden for a machine, which has neither. */
  mustBePerson(): SignedIn {
    if (this.signedIn) return this.signedIn;
    throw new ConsoleError("forbidden", "only a person who is signed in may do this");
  }

  /** @throws ConsoleError out_of_scope if it is confined to some event types. */
  mustSeeAll(): void {
    if (this.scopes === undefined) return;
    throw new ConsoleError("out_of_scope", "this needs an account that is not confined to some event types");
  }

  /** Of the types asked for (undefined: all), those it may see; undefined: all there are. @throws ConsoleError out_of_scope */
  typesWithin(asked: readonly string[] | undefined): readonly string[] | undefined {
    if (asked === undefined) return this.scopes;
    for (const eventType of asked) this.mustSee(eventType);
    return asked;
  }

  /** @throws ConsoleError out_of_scope unless the event type is one of its own. */
  mustSee(eventType: string): void {
    if (this.sees(eventType)) return;
    throw new ConsoleError(
      "out_of_scope",
      `the event type ${JSON.stringify(eventType)} is out of this account's scope`,
      { details: { eventType } },
    );
  }
}
