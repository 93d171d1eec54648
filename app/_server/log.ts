import "server-only";
import pino from "pino";

/** The log of the console process: JSON lines on the standard error output. */
export const log = pino({ base: { process: "console" } }, pino.destination(2));
