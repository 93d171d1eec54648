/**
 * A package of bench/peers, by its name, as what the caller uses of it. The types of the packages are not asked for:
 * lint and tsc run where none of them is installed.
 */
export async function loadPeer<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}
