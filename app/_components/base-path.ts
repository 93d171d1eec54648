/** The path below which the console is served, without a slash at its end; fixed when the console is built. */
export const BASE_PATH: string = process.env.REDRIVE_BASE_PATH ?? "";
