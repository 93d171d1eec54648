"use client";

import { useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { BulkView } from "../../_server/bulk-view.ts";
import { useMay } from "../account/asker.tsx";
import { BulkConfirm } from "./bulk-confirm.tsx";
import { useBulkAct } from "./use-bulk-act.ts";

/** What can be done with an action in its present state. Only an abort that loses progress, and a revert, ask first. */
export function BulkControls({ bulk }: { bulk: BulkView }) {
  const t = useTranslations("bulk");
  const router = useRouter();
  const { act, isActing } = useBulkAct(bulk.id);
  const mayAct = useMay("bulk.act");
  const mayApprove = useMay("bulk.approve");
  const [asked, setAsked] = useState<"abort" | "revert">();
  const { state } = bulk;
  const isUntouched = bulk.done + bulk.skipped === 0;
  const isOpen = state !== "finished" && state !== "aborted";
  const mayRevert =
    ["finished", "aborted", "paused", "failed"].includes(state) &&
    bulk.action !== "revert" &&
    bulk.action !== "replay" &&
    bulk.done > 0;
  const button = (label: string, press: () => void, isPrimary = false) => (
    <button type="button" className={`button ${isPrimary ? "button-primary" : ""}`} disabled={isActing} onClick={press}>
      {label}
    </button>
  );
  const revert = async (reason: string) => {
    const made = await act("revert", { reason });
    if (made) router.push(`/bulk/${made.id}`);
  };
  if (!mayAct) return null;
  return (
    <div className="ms-auto flex flex-wrap gap-2">
      {state === "awaiting_approval" && mayApprove && button(t("approve"), () => void act("approve"), true)}
      {(state === "canary" || state === "running") && button(t("pause"), () => void act("pause"))}
      {(state === "paused" || state === "failed") && button(t("resume"), () => void act("resume"), true)}
      {isOpen &&
        (state === "scheduled" && isUntouched
          ? button(t("undo"), () => void act("abort"), true)
          : button(t("abort"), () => (isUntouched ? void act("abort") : setAsked("abort"))))}
      {mayRevert && button(t("revert"), () => setAsked("revert"))}
      {asked === "abort" && (
        <BulkConfirm
          title={t("abortTitle")}
          text={t("abortText")}
          label={t("abortConfirm")}
          close={() => setAsked(undefined)}
          confirm={(reason) => void act("abort", { reason })}
        />
      )}
      {asked === "revert" && (
        <BulkConfirm
          title={t("revertTitle")}
          text={t("revertText")}
          label={t("revertConfirm", { count: bulk.done })}
          close={() => setAsked(undefined)}
          confirm={(reason) => void revert(reason)}
        />
      )}
    </div>
  );
}
