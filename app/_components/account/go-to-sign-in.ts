import { BASE_PATH } from "../base-path.ts";

let isLeaving = false;

/** Leaves for the sign-in page, which returns here. Several requests that find the session ended leave once. */
export function goToSignIn(): void {
  if (isLeaving) return;
  isLeaving = true;
  const { pathname, search, hash } = window.location;
  const here = `${pathname.slice(BASE_PATH.length) || "/"}${search}${hash}`;
  window.location.assign(`${BASE_PATH}/sign-in?to=${encodeURIComponent(here)}`);
}
