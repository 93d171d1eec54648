import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/**
 * False while what is seen came from the server and nothing acts yet: a form that is sent then would be sent by the
 * browser, past its handler.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
