"use client";

import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";
import { useState } from "react";
import { ApiError, postJson } from "../api-client.ts";
import { BASE_PATH } from "../base-path.ts";
import { Icon } from "../icons.tsx";
import { useNotify } from "../notices.tsx";
import { ButtonMenu, MenuItem, MenuLine } from "../shell/menu.tsx";
import { visibleText } from "../visible-text.ts";
import { useAsker } from "./asker.tsx";
import { useProblemText } from "./use-problem-text.ts";

// Loaded when first asked for.
const SessionsDialog = dynamic(() => import("./sessions-dialog.tsx").then((part) => part.SessionsDialog), {
  ssr: false,
});
const PasswordDialog = dynamic(() => import("./password-dialog.tsx").then((part) => part.PasswordDialog), {
  ssr: false,
});

/** Who is signed in, and what that person may do about it. */
export function OwnMenu() {
  const t = useTranslations("me");
  const role = useTranslations("role");
  const notify = useNotify();
  const problemText = useProblemText();
  const asker = useAsker();
  const [shown, setShown] = useState<"password" | "sessions">();
  if (!asker) return null;
  const name = visibleText(asker.name);

  const signOut = async () => {
    let next = `${BASE_PATH}/sign-in`;
    try {
      ({ next } = await postJson<{ readonly next: string }>("/api/v1/sign-out", {}));
    } catch (error) {
      // A session that has ended by itself is signed out too.
      if (!(error instanceof ApiError && error.code === "not_signed_in")) return notify("problem", problemText(error));
    }
    window.location.assign(next);
  };

  return (
    <>
      <ButtonMenu
        label={t("menu", { name, role: role(`${asker.role}`) })}
        buttonClass="flex h-7 max-w-40 items-center gap-1.5 rounded-md px-1.5 text-xs text-ink-2 hover:bg-soft hover:text-ink"
        button={
          <>
            <Icon name="person" />
            <span className="truncate max-sm:sr-only">{name}</span>
          </>
        }
      >
        <div className="grid px-3 py-1.5">
          <span className="max-w-64 truncate font-medium">{name}</span>
          <span className="text-xs text-ink-2">{role(`${asker.role}`)}</span>
          {asker.scopes && (
            <span className="max-w-64 text-xs wrap-anywhere text-ink-2">
              {asker.scopes.length === 0 ? t("noScope") : t("scopes", { types: visibleText(asker.scopes.join(", ")) })}
            </span>
          )}
        </div>
        <MenuLine />
        {!asker.isExternal && (
          <MenuItem onSelect={() => setShown("password")}>
            <Icon name="lock" />
            {t("changePassword")}
          </MenuItem>
        )}
        <MenuItem onSelect={() => setShown("sessions")}>
          <Icon name="system" />
          {t("sessions")}
        </MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => void signOut()}>
          <Icon name="leave" />
          {t("signOut")}
        </MenuItem>
      </ButtonMenu>
      {shown === "password" && <PasswordDialog close={() => setShown(undefined)} />}
      {shown === "sessions" && (
        <SessionsDialog title={t("sessionsTitle")} path="/api/v1/me/sessions" close={() => setShown(undefined)} />
      )}
    </>
  );
}
