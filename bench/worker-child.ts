import { contestantNamed } from "./contestants/named.ts";
import { Meter } from "./meter.ts";
import type { WorkerPlan, WorkerWord } from "./worker-processes.ts";

/*
 * A process that runs one contestant's due tasks: "work" begins, "stop" ends and answers what it used. It says which
 * handlers were called, many at a time, so that saying so costs little beside the work. It ends with its parent.
 */

const SAY_EVERY_MS = 20;

const plan = JSON.parse(process.argv[2] ?? "{}") as WorkerPlan;
const contestant = await contestantNamed(plan.contestant);
const say = (word: WorkerWord) => process.send?.(word);
process.on("disconnect", () => process.exit());

let seqs: number[] = [];
const tell = (): void => {
  if (seqs.length > 0) say({ say: "started", seqs });
  seqs = [];
};
setInterval(tell, SAY_EVERY_MS);

const running = await contestant.open(plan.store, {
  mode: "drain",
  concurrency: plan.concurrency,
  connections: 2,
  onTask: (seq) => {
    seqs.push(seq);
    return plan.hangs ? new Promise<never>(() => undefined) : undefined;
  },
});
const meter = new Meter(plan.store, contestant);
let before = meter.read();

process.on("message", (word) => {
  if (word === "work") void work();
  else void stop();
});
say({ say: "ready" });

async function work(): Promise<void> {
  before = meter.read();
  await running.work();
}

async function stop(): Promise<void> {
  tell();
  const after = meter.read();
  say({
    say: "stopped",
    used: {
      statements: after.statements - before.statements,
      commits: after.commits - before.commits,
      nodeCpuSeconds: after.nodeCpuSeconds - before.nodeCpuSeconds,
    },
  });
  await running.close();
  process.exit();
}
