/** Which task a dialog is about: names and values, the values as they are stored. */
export function TaskIdentity({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md bg-soft px-3 py-2">
      {facts.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-ink-2">{name}</dt>
          <dd dir="auto" className="max-h-24 overflow-auto font-mono text-xs leading-5 wrap-anywhere">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
