/** The version that processes of this engine show in the registry; package.json holds the same. */
export const ENGINE_VERSION = "0.1.0";
