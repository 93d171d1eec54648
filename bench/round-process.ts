import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { LeftOut } from "./contestant.ts";
import type { Round } from "./round.ts";
import type { Settings } from "./scenario.ts";

const MAIN = fileURLToPath(new URL("./round-child.ts", import.meta.url));

export interface RoundPlan {
  readonly scenario: string;
  readonly contestant: string;
  readonly settings: Settings;
  readonly server: string | undefined;
}

export type RoundAnswer =
  { readonly round: Round; readonly error?: undefined } | { readonly error: string; readonly isLeftOut: boolean };

/** One round in a process of its own, under the Node that is given. */
export async function playRoundApart(plan: RoundPlan, node: string): Promise<Round> {
  const child = fork(MAIN, [JSON.stringify(plan)], {
    execPath: node,
    execArgv: ["--import", "tsx"],
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const answer = await Promise.race([
    once(child, "message").then(([said]) => said as RoundAnswer),
    ended.then(() => undefined),
  ]);
  await ended;
  if (!answer) throw new Error(`the process of ${plan.contestant} ended without an answer`);
  if (answer.error === undefined) return answer.round;
  throw answer.isLeftOut ? new LeftOut(answer.error) : new Error(answer.error);
}
