import { type Answer, answerTo, type System, SYSTEMS } from "../downstream-behaviour.ts";
import type { Rates } from "../env.ts";

/** The id of an order whose first calls the downstream answers as wished; fine where nothing is said. */
export function orderThat(
  wished: Partial<Record<System, Answer["behaviour"]>>,
  settings: { readonly rates: Rates; readonly slowMs: number },
  prefix = "test",
): string {
  for (let number = 1; number < 100_000; number++) {
    const orderId = `${prefix}-${number}`;
    const fits = SYSTEMS.every(
      (system) => answerTo({ system, orderId, attempt: 1 }, settings).behaviour === (wished[system] ?? "fine"),
    );
    if (fits) return orderId;
  }
  throw new Error(`no order is ${JSON.stringify(wished)}`);
}
