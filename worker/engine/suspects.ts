import type { ClaimedTask } from "../../db/queries/claim-tasks.ts";
import type { Claim } from "../../db/queries/claim-guard.ts";

/**
 * A task whose next abandonment would be its last may be what kills its workers, or may only have stood beside the one
 * that does. One such task runs in a process at a time, so that a killer takes no other suspect with it.
 */
export class Suspects {
  #inside: Claim | undefined;

  /** True if the task needs to be alone among suspects. */
  static isSuspect(task: ClaimedTask, maxRecycles: number): boolean {
    return task.recycleCount > 0 && task.recycleCount + 1 >= maxRecycles;
  }

  /** Lets one suspect in; false while another is inside. */
  enter(claim: Claim): boolean {
    if (this.#inside) return false;
    this.#inside = claim;
    return true;
  }

  leave(claim: Claim): void {
    if (this.#inside?.id === claim.id && this.#inside.claimNo === claim.claimNo) this.#inside = undefined;
  }
}
