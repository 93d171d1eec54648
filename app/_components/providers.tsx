"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { StepUp } from "./account/step-up.tsx";
import { NoticeProvider } from "./notices.tsx";
import type { ZoneChoice } from "../_preferences/choices.ts";
import { RefreshProvider } from "./refresh.tsx";
import { ZoneProvider } from "./zone.tsx";

/** What every page of the console shares in the browser. */
export function Providers({ zoneChoice, children }: { zoneChoice: ZoneChoice; children: ReactNode }) {
  const [queryClient] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={queryClient}>
      <ZoneProvider initial={zoneChoice}>
        <RefreshProvider>
          <NoticeProvider>
            {children}
            <StepUp />
          </NoticeProvider>
        </RefreshProvider>
      </ZoneProvider>
    </QueryClientProvider>
  );
}
