import { BASE_PATH } from "../_components/base-path.ts";

/** Keeps how a person likes the console to look for a year, in a cookie, so that the server draws the first paint right. */
export function rememberPreference(cookie: string, value: string): void {
  document.cookie = `${cookie}=${value}; Path=${BASE_PATH || "/"}; Max-Age=31536000; SameSite=Lax`;
}
