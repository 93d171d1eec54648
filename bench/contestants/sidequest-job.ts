import { loadPeer } from "../peers/load.ts";
import type { SidequestModule } from "./sidequest.ts";

const { Job } = await loadPeer<SidequestModule>("sidequest");

let handler: (seq: number) => Promise<void> | void = () => undefined;

/** Sidequest makes the jobs itself, from the class that it finds in this file: what they do is set here. */
export function handleWith(onTask: typeof handler): void {
  handler = onTask;
}

export class BenchJob extends Job {
  run(payload: { readonly seq: number }): Promise<void> | void {
    return handler(payload.seq);
  }
}
