/** Before the console serves anything: settings that cannot be used end it, all problems named. */
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { checkSettings } = await import("./app/_server/check-settings.ts");
  checkSettings();
  const { notePeerAddress } = await import("./app/_server/note-peer-address.ts");
  notePeerAddress();
  const { noteRequests } = await import("./app/_server/note-requests.ts");
  noteRequests();
  const { offerFirstAdminLink } = await import("./app/_server/first-admin-link.ts");
  offerFirstAdminLink();
}
