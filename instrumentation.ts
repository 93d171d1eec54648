/** Before the console serves anything: settings that cannot be used end it, all problems named. */
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { checkSettings } = await import("./app/_server/check-settings.ts");
  checkSettings();
}
