"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { type StepUpNeed, takeStepUps } from "./ask-for-step-up.ts";

// Loaded when first asked for.
const StepUpDialog = dynamic(() => import("./step-up-dialog.tsx").then((part) => part.StepUpDialog), { ssr: false });

interface Asked {
  readonly need: StepUpNeed;
  readonly answer: (isConfirmed: boolean) => void;
}

/** Asks the person to show once more to be the one, above whatever is open, when a request of the page needs it. */
export function StepUp() {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => takeStepUps((need) => new Promise<boolean>((resolve) => setAsked({ need, answer: resolve }))), []);
  if (!asked) return null;
  return (
    <StepUpDialog
      need={asked.need}
      answer={(isConfirmed) => {
        setAsked(undefined);
        asked.answer(isConfirmed);
      }}
    />
  );
}
