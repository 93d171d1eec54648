import { Icon } from "../icons.tsx";

/** Why a form was not taken; read out when it appears. */
export function FormProblem({ text }: { text: string | undefined }) {
  return (
    <div role="alert">
      {text && (
        <p className="flex items-start gap-2 rounded-md bg-failed-tint px-3 py-2 text-failed">
          <Icon name="warning" className="mt-[3px] size-3.5" />
          <span className="min-w-0 wrap-anywhere">{text}</span>
        </p>
      )}
    </div>
  );
}
