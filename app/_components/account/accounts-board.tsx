"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { AccountItem, AccountList, NewLink } from "../../_server/accounts.ts";
import type { SignInWays } from "../../_server/sign-in-ways.ts";
import { type ApiError, getJson } from "../api-client.ts";
import { LiveCard } from "../live-card.tsx";
import { visibleText } from "../visible-text.ts";
import { AccountDialog } from "./account-dialog.tsx";
import { AccountTable } from "./account-table.tsx";
import { useAsker, useMay } from "./asker.tsx";
import { DisableDialog } from "./disable-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { SessionsDialog } from "./sessions-dialog.tsx";

/** What is open above the table. */
type Shown =
  | { readonly kind: "create" }
  | { readonly kind: "edit" | "disable" | "link" | "sessions"; readonly account: AccountItem }
  | { readonly kind: "new_link"; readonly name: string; readonly link: NewLink };

/**
 * The accounts of the console with everything an admin does to them. Where nobody signs in by password, accounts are made
 * by the first sign-in at the provider, and there are no links to choose a password by.
 */
export function AccountsBoard({ ways }: { ways: SignInWays }) {
  const t = useTranslations("accounts");
  const asker = useAsker();
  const mayManage = useMay("accounts.manage");
  const [shown, setShown] = useState<Shown>();
  const query = useQuery<AccountList, ApiError>({
    queryKey: ["/api/v1/accounts"],
    queryFn: ({ signal }) => getJson<AccountList>("/api/v1/accounts", signal),
    retry: false,
    networkMode: "always",
  });
  const close = () => setShown(undefined);
  return (
    <>
      <LiveCard
        labelledBy="accounts-title"
        query={query}
        header={
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <h1 id="accounts-title" className="text-base font-semibold">
              {t("title")}
            </h1>
            <span className="me-auto text-ink-3">{query.data && t("count", { count: query.data.items.length })}</span>
            {mayManage && ways.takesPasswords && (
              <button type="button" className="button button-primary" onClick={() => setShown({ kind: "create" })}>
                {t("create")}
              </button>
            )}
            {mayManage && !ways.takesPasswords && (
              <p className="text-xs text-ink-3">
                {t("madeByProvider", { provider: visibleText(ways.provider ?? "") })}
              </p>
            )}
          </div>
        }
        skeleton={<AccountSkeleton />}
      >
        {({ items, asOf }) => (
          <AccountTable
            items={items}
            asOf={asOf}
            ownName={asker?.name}
            takesPasswords={ways.takesPasswords}
            open={(kind, account) => setShown({ kind, account })}
          />
        )}
      </LiveCard>
      {shown?.kind === "create" && (
        <AccountDialog
          account={undefined}
          close={close}
          created={(name, link) => setShown({ kind: "new_link", name, link })}
        />
      )}
      {shown?.kind === "edit" && <AccountDialog account={shown.account} close={close} />}
      {shown?.kind === "disable" && <DisableDialog account={shown.account} close={close} />}
      {shown?.kind === "link" && <LinkDialog account={shown.account} close={close} />}
      {shown?.kind === "new_link" && <LinkDialog account={shown} link={shown.link} close={close} />}
      {shown?.kind === "sessions" && (
        <SessionsDialog
          title={t("sessionsOf", { name: visibleText(shown.account.name) })}
          path={`/api/v1/accounts/${shown.account.id}/sessions`}
          close={close}
        />
      )}
    </>
  );
}

function AccountSkeleton() {
  return (
    <div aria-hidden="true" className="grid">
      {[40, 28, 34].map((width) => (
        <div key={width} className="flex h-[34px] items-center border-b border-soft px-4 last:border-b-0">
          <span className="skeleton h-3" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}
