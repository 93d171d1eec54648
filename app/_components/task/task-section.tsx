import { type ReactNode, useId } from "react";

/** One card of the page with its heading. */
export function TaskSection(props: { title: string; hint?: ReactNode; aside?: ReactNode; children: ReactNode }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="card min-w-0">
      <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 id={titleId} className="font-semibold">
          {props.title}
        </h2>
        {props.hint && <span className="text-xs text-ink-3">{props.hint}</span>}
        {props.aside && <div className="ms-auto flex flex-wrap items-center gap-2">{props.aside}</div>}
      </header>
      {props.children}
    </section>
  );
}
