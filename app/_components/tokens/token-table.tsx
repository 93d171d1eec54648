"use client";

import { useTranslations } from "next-intl";
import type { ApiTokenItem, ApiTokenList } from "../../_server/token-schema.ts";
import { PlainTime } from "../instant.tsx";
import { LiteralText } from "../literal-text.tsx";
import { TimeText } from "../time-text.tsx";
import { visibleText } from "../visible-text.ts";
import { TokenState } from "./token-state.tsx";

export function TokenTable({ list, askRevoke }: { list: ApiTokenList; askRevoke: (token: ApiTokenItem) => void }) {
  const t = useTranslations("tokens");
  return (
    <div className="overflow-x-auto">
      <table className="data-table token-table max-md:card-rows">
        <caption className="sr-only">{t("caption")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("name")}</th>
            <th scope="col">{t("state")}</th>
            <th scope="col">{t("role")}</th>
            <th scope="col">{t("scopes")}</th>
            <th scope="col">{t("expires")}</th>
            <th scope="col">{t("used")}</th>
            <th scope="col">{t("createdBy")}</th>
            <th scope="col">
              <span className="sr-only">{t("actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.items.map((token) => (
            <tr key={token.id} className={token.state === "revoked" ? "text-ink-3" : ""}>
              <th scope="row" data-cell="name" className="max-w-56">
                <LiteralText text={token.name} className="font-medium text-ink" />
              </th>
              <td data-cell="state">
                <TokenState state={token.state} />
              </td>
              <td data-cell="role">{t(`role_${token.role}`)}</td>
              <td data-cell="scopes" data-label={t("scopes")} className="w-full max-w-0">
                {token.scopes === undefined ? t("allTypes") : <LiteralText text={token.scopes.join(", ")} />}
              </td>
              <td data-cell="expires" data-label={t("expires")}>
                {token.expiresAt === undefined ? t("never") : <PlainTime at={token.expiresAt} />}
              </td>
              <td data-cell="used" data-label={t("used")}>
                {token.usedAt === undefined ? t("neverUsed") : <TimeText at={token.usedAt} asOf={list.asOf} />}
              </td>
              <td data-cell="by" data-label={t("createdBy")} className="max-w-40">
                <LiteralText text={token.createdBy} />
              </td>
              <td data-cell="action" className="text-end">
                {token.state !== "revoked" && (
                  <button
                    type="button"
                    className="button"
                    aria-label={t("revokeToken", { name: visibleText(token.name) })}
                    onClick={() => askRevoke(token)}
                  >
                    {t("revoke")}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
