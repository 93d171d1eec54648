import { useTranslations } from "next-intl";
import { visibleText } from "../visible-text.ts";
import { changesOf } from "./audit-changes.ts";

/** Field by field what an action changed, and what else its entry tells. */
export function AuditChangeTable({ detail }: { detail: unknown }) {
  const t = useTranslations("audit");
  const { changes, facts } = changesOf(detail);
  if (changes.length === 0 && facts.length === 0) return <p className="text-ink-3">{t("noDetail")}</p>;
  return (
    <>
      {changes.length > 0 && (
        <div className="overflow-x-auto rounded-md border border-line">
          <table className="data-table change-table">
            <caption className="sr-only">{t("changes")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("field")}</th>
                <th scope="col">{t("before")}</th>
                <th scope="col">{t("after")}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ field, before, after }) => (
                <tr key={field} className="align-top">
                  <th scope="row" className="font-mono">
                    {visibleText(field)}
                  </th>
                  <Value text={before} colours="bg-failed-tint text-failed" />
                  <Value text={after} colours="bg-succeeded-tint text-succeeded" />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {facts.length > 0 && (
        <dl aria-label={t("facts")} className="grid gap-1 rounded-md bg-soft px-3 py-2 font-mono text-xs">
          {facts.map(([name, value]) => (
            <div key={name} className="flex flex-wrap gap-x-3">
              <dt className="text-ink-2">{visibleText(name)}</dt>
              <dd dir="auto" className="wrap-anywhere whitespace-pre-wrap">
                {visibleText(value)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** An absent value is a dash, so that nothing depends on colour alone. */
function Value({ text, colours }: { text: string | undefined; colours: string }) {
  const t = useTranslations("audit");
  return (
    <td className="font-mono text-xs">
      {text === undefined ? (
        <span className="text-ink-3" aria-label={t("absent")} role="img">
          —
        </span>
      ) : (
        <span dir="auto" className={`rounded-sm px-1 wrap-anywhere whitespace-pre-wrap ${colours}`}>
          {visibleText(text)}
        </span>
      )}
    </td>
  );
}
