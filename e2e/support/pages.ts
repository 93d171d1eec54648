/** Every page of the console as the checks that run over all pages open it: a name and its path within the scene of `seedScene`. */
export const PAGES: readonly { readonly name: string; readonly path: string }[] = [
  { name: "overview", path: "/" },
  { name: "overview-24h", path: "/?range=24h" },
];
