/** How a person shows once more to be the one, as the server says. */
export interface StepUpNeed {
  readonly by: "password" | "provider";
  readonly confirmMinutes: number;
}

type Ask = (need: StepUpNeed) => Promise<boolean>;

let ask: Ask | undefined;
let asking: Promise<boolean> | undefined;

/** Takes over to ask the person; the function that it gives ends that. */
export function takeStepUps(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = undefined;
  };
}

/** Whether the person has shown to be the one. Several requests that need it at once ask once. */
export function askForStepUp(details: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { by, confirmMinutes } = details;
  asking ??= (
    ask?.({
      by: by === "provider" ? "provider" : "password",
      confirmMinutes: typeof confirmMinutes === "number" ? confirmMinutes : 10,
    }) ?? Promise.resolve(false)
  ).finally(() => (asking = undefined));
  return asking;
}
