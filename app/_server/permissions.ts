import type { Role } from "../../db/schema/account.ts";

/** What the console lets people and machines do, and which roles may. What is not named here nobody may. */
export const PERMISSIONS = {
  "tasks.read": ["viewer", "operator", "admin", "auditor"],
  /** Reset, cancel, run now, undo. */
  "tasks.act": ["operator", "admin"],
  /** Give a task another payload. */
  "tasks.edit": ["operator", "admin"],
  /** See masked values of a payload. */
  "payload.reveal": ["operator", "admin"],
  "lists.export": ["viewer", "operator", "admin", "auditor"],
  "bulk.act": ["operator", "admin"],
  /** Confirm a bulk action that needs a second person or an admin. */
  "bulk.approve": ["admin"],
  "archive.replay": ["operator", "admin"],
  "audit.read": ["admin", "auditor"],
  "accounts.manage": ["admin"],
  /** One's own: sign out, password, preferences, saved views. */
  "self.manage": ["viewer", "operator", "admin", "auditor"],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof PERMISSIONS;

export function roleMay(role: Role, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Role[]).includes(role);
}
