"use client";

import { useTranslations } from "next-intl";
import type { JsonMember, JsonNode } from "../../_json/json-tree.ts";
import type { MaskedRange } from "../../_server/redact.ts";
import { visibleText } from "../visible-text.ts";

const OPEN_DEPTH = 2;
/** Members of one object or list that are laid out; the rest is in the raw text. */
const MEMBERS_MAX = 500;

const COLOURS = { string: "text-succeeded", number: "text-running", literal: "text-recycled" } as const;

/** A JSON document as a tree that is open to its second level. Values are shown as they are written. */
export function JsonTree({ node, masked }: { node: JsonNode; masked: readonly MaskedRange[] }) {
  const maskedStarts = new Set(masked.map(([start]) => start));
  return <Value node={node} maskedStarts={maskedStarts} depth={0} label={undefined} />;
}

interface Shown {
  readonly node: JsonNode;
  readonly maskedStarts: ReadonlySet<number>;
  readonly depth: number;
  readonly label: JsonMember | undefined;
}

function Value({ node, maskedStarts, depth, label }: Shown) {
  const t = useTranslations("payload");
  if (!("members" in node)) {
    return (
      <p className="ps-4 wrap-anywhere">
        <Name label={label} />
        {maskedStarts.has(node.start) ? (
          <Chip text={node.raw} />
        ) : (
          <span className={COLOURS[node.kind]}>{visibleText(node.raw)}</span>
        )}
      </p>
    );
  }
  const [left, right] = node.kind === "object" ? "{}" : "[]";
  if (node.members.length === 0) {
    return (
      <p className="ps-4">
        <Name label={label} />
        {left}
        {right}
      </p>
    );
  }
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary className="w-fit marker:text-ink-3">
        <Name label={label} />
        {left} <span className="text-ink-3">{t("items", { count: node.members.length })}</span> {right}
      </summary>
      <div className="ms-1 border-s border-line ps-3">
        {node.members.slice(0, MEMBERS_MAX).map((member, index) => (
          <Value key={index} node={member.node} maskedStarts={maskedStarts} depth={depth + 1} label={member} />
        ))}
        {node.members.length > MEMBERS_MAX && <p className="ps-4 text-ink-3">…</p>}
      </div>
    </details>
  );
}

function Name({ label }: { label: JsonMember | undefined }) {
  const t = useTranslations("payload");
  if (!label) return null;
  return (
    <>
      <span className={label.name.startsWith('"') ? "" : "text-ink-3"}>{visibleText(label.name)}</span>
      {label.isDuplicate && (
        <span className="ms-1.5 rounded bg-warn-tint px-1 font-sans text-warn">{t("duplicate")}</span>
      )}
      <span className="text-ink-3">: </span>
    </>
  );
}

/** A value that is not shown, or only in part. */
export function Chip({ text }: { text: string }) {
  return <span className="rounded bg-warn-tint px-1 text-warn">{visibleText(text)}</span>;
}
