"use client";

import { useTranslations } from "next-intl";
import type { AccountItem } from "../../_server/accounts.ts";
import { Icon } from "../icons.tsx";
import { ButtonMenu, MenuItem, MenuLine } from "../shell/menu.tsx";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";

type Deed = "edit" | "disable" | "link" | "sessions";

/** One row for each account. */
export function AccountTable(props: {
  items: readonly AccountItem[];
  asOf: string;
  ownName: string | undefined;
  takesPasswords: boolean;
  open: (deed: Deed, account: AccountItem) => void;
}) {
  const t = useTranslations("accounts");
  return (
    <div className="overflow-x-auto">
      <table className="data-table account-table max-xl:card-rows">
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("name")}</th>
            <th scope="col">{t("role")}</th>
            <th scope="col">{t("eventTypes")}</th>
            <th scope="col">{t("state")}</th>
            <th scope="col" className="number">
              {t("sessions")}
            </th>
            <th scope="col">{t("changed")}</th>
            <th scope="col">
              <span className="sr-only">{t("actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.items.map((account) => (
            <AccountRow
              key={account.id}
              account={account}
              asOf={props.asOf}
              isOwn={account.name === props.ownName}
              takesPasswords={props.takesPasswords}
              open={(deed) => props.open(deed, account)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AccountRow(props: {
  account: AccountItem;
  asOf: string;
  isOwn: boolean;
  takesPasswords: boolean;
  open: (deed: Deed) => void;
}) {
  const { account, open } = props;
  const t = useTranslations("accounts");
  const role = useTranslations("role");
  const name = visibleText(account.name);
  const scopes = account.scopes && visibleText(account.scopes.join(", "));
  const shownScopes = scopes === undefined ? t("allTypes") : scopes === "" ? t("noType") : scopes;
  return (
    <tr className={account.isDisabled ? "text-ink-3" : ""}>
      <th scope="row" data-cell="name" className="max-w-64 text-inherit!">
        <span className="block truncate" title={name}>
          {name}
          {props.isOwn && <span className="ms-2 font-normal text-ink-3">{t("you")}</span>}
        </span>
      </th>
      <td data-cell="role">{role(`${account.role}`)}</td>
      <td data-cell="scopes" data-label={t("eventTypes")} className="max-w-52 truncate" title={scopes}>
        {scopes === undefined ? <span className="text-ink-3">{shownScopes}</span> : shownScopes}
      </td>
      <td data-cell="state">
        <AccountState account={account} />
      </td>
      <td data-cell="sessions" data-label={t("sessions")} className="number">
        {account.sessionCount === 0 ? (
          <span className="text-ink-3">0</span>
        ) : (
          <button
            type="button"
            className="rounded px-1 text-accent underline-offset-2 hover:underline"
            aria-label={t("showSessions", { name, count: account.sessionCount })}
            onClick={() => open("sessions")}
          >
            {account.sessionCount}
          </button>
        )}
      </td>
      <td data-cell="time" data-label={t("changed")}>
        <TimeText at={account.updatedAt} asOf={props.asOf} />
      </td>
      <td data-cell="action" className="w-16 text-end">
        <ButtonMenu
          label={t("actionsOf", { name })}
          button={<Icon name="more" className="size-4" />}
          buttonClass="inline-grid size-7 place-items-center rounded-md text-ink-2 hover:bg-soft hover:text-ink"
        >
          {!account.isExternal && <MenuItem onSelect={() => open("edit")}>{t("edit")}</MenuItem>}
          {props.takesPasswords && !account.isDisabled && !account.isExternal && (
            <MenuItem onSelect={() => open("link")}>{t("makeLink")}</MenuItem>
          )}
          <MenuItem onSelect={() => open("sessions")}>{t("sessions")}</MenuItem>
          <MenuLine />
          <MenuItem onSelect={() => open("disable")}>{account.isDisabled ? t("enable") : t("disable")}</MenuItem>
        </ButtonMenu>
      </td>
    </tr>
  );
}

function AccountState({ account }: { account: AccountItem }) {
  const t = useTranslations("accounts");
  if (account.isDisabled) {
    return (
      <span className="inline-flex items-center gap-1.5">
        <Icon name="slash" />
        {t("disabled")}
      </span>
    );
  }
  if (!account.hasPassword && !account.isExternal) {
    return (
      <span className="inline-flex items-center gap-1.5 text-warn">
        <Icon name="clock" />
        {t("noPassword")}
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-1.5 text-ink-2">
      <Icon name="check" />
      {account.isExternal ? t("external") : t("active")}
    </span>
  );
}
