import type { Claim } from "../../db/queries/claim-guard.ts";

/**
 * The claims this process knows to be its own, from the moment their statement is on its way until their end is
 * written. What the table says is this owner's and is not here has been forgotten, and is released by the self-check.
 */
export class HeldClaims {
  readonly #claimNoById = new Map<string, number>();

  add(claim: Claim): void {
    this.#claimNoById.set(claim.id, claim.claimNo);
  }

  /** Forgets a claim unless a newer one of the same task has taken its place. */
  remove(claim: Claim): void {
    if (this.#claimNoById.get(claim.id) === claim.claimNo) this.#claimNoById.delete(claim.id);
  }

  has(claim: Claim): boolean {
    return this.#claimNoById.get(claim.id) === claim.claimNo;
  }

  get size(): number {
    return this.#claimNoById.size;
  }
}
