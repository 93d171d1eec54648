/** The part of a structured logger that the engine and handlers use; pino fits. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child?(fields: object): Logger;
}

const nothing = (): void => undefined;

/** Says nothing; the default of an embedded engine. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A logger whose every line carries the fields. */
export function childLogger(logger: Logger, fields: object): Logger {
  if (logger.child) return logger.child(fields);
  const bind =
    (level: "debug" | "info" | "warn" | "error") =>
    (more: object, message: string): void =>
      logger[level]({ ...fields, ...more }, message);
  return { debug: bind("debug"), info: bind("info"), warn: bind("warn"), error: bind("error") };
}
