import type { Contestant } from "../contestant.ts";
import { article } from "./article.ts";
import { bare } from "./bare.ts";
import { bullmq, bullmqEverysec } from "./bullmq.ts";
import { graphileWorker } from "./graphile-worker.ts";
import { pgBoss } from "./pg-boss.ts";
import { redrive, redriveOf } from "./redrive.ts";
import { serenis } from "./serenis.ts";
import { sidequest } from "./sidequest.ts";

/** Those who need nothing that is not in the repository. */
export const OWN: readonly Contestant[] = [redrive, article, bare];

/** Those whose packages are below bench/peers. */
export const PEERS: readonly Contestant[] = [sidequest, serenis, pgBoss, graphileWorker, bullmq, bullmqEverysec];

/** The variable that names another checkout, whose engine is the contestant "before"; child processes inherit it. */
export const BEFORE_VARIABLE = "BENCH_BEFORE";

/** @throws Error for a name that nobody has */
export async function contestantNamed(name: string): Promise<Contestant> {
  const folder = process.env[BEFORE_VARIABLE];
  if (name === "before" && folder !== undefined) return redriveOf(name, folder);
  const found = [...OWN, ...PEERS].find((one) => one.name === name);
  if (!found) throw new Error(`no contestant "${name}"`);
  return found;
}
