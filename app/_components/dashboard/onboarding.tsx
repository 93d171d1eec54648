"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";

const EXAMPLE = `await engine.transaction(async (tx) => {
  await tx.insert(orders).values(order);
  await engine.enqueue(tx, { eventType: "PAY_ORDER", bizKey: order.id, bizContext: { orderId: order.id } });
});`;

/** What stands on the page before the first task: how to create one. */
export function Onboarding() {
  const t = useTranslations("onboarding");
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="card px-4 py-4">
      <h2 id={titleId} className="text-base font-semibold">
        {t("title")}
      </h2>
      <p className="mt-1 max-w-3xl text-ink-2">{t("hint")}</p>
      <ol className="mt-3 grid max-w-3xl list-decimal gap-1 ps-5 text-ink-2">
        <li>{t("stepWorker")}</li>
        <li>{t("stepTask")}</li>
        <li>{t("stepPage")}</li>
      </ol>
      <pre
        tabIndex={0}
        aria-label={t("example")}
        className="mt-3 overflow-x-auto rounded-md bg-soft px-3 py-2 font-mono text-xs"
      >
        {EXAMPLE}
      </pre>
    </section>
  );
}
