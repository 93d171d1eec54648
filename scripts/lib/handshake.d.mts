import type { NetConnectOpts } from "node:net";

export function readServerVersion(target: NetConnectOpts, limitMs?: number): Promise<string | null>;
export function parseHandshake(received: Buffer): string | null | undefined;
export function findFreePort(preferred?: number): Promise<number>;
