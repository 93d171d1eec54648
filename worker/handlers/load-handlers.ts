import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { Handler } from "../engine/index.ts";

/** The team's handlers cannot be used; the message names the module and what it must be. `cause` is what it threw. */
export class HandlersModuleError extends Error {
  override readonly name = "HandlersModuleError";
  readonly code = "INVALID_HANDLERS";
}

const CONTRACT =
  "it must default-export an array of handlers made with defineHandler(), or a function (env) => array, which may be async";

/**
 * Loads the module that exports a team's handlers.
 * @param specifier a path, from `cwd`, or the name of a package that is installed there.
 * @param env what a default-exported function is called with.
 * @throws HandlersModuleError if it is missing, throws, or exports anything else.
 */
export async function loadHandlers(
  specifier: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Handler[]> {
  const exported = defaultExport(await importModule(specifier, cwd));
  const handlers = typeof exported === "function" ? await callFactory(specifier, exported, env) : exported;
  if (!Array.isArray(handlers)) {
    const from = typeof exported === "function" ? "its default-exported function returned" : "its default export is";
    throw new HandlersModuleError(`handlers module "${specifier}": ${from} ${describe(handlers)}; ${CONTRACT}`);
  }
  if (handlers.length === 0) {
    throw new HandlersModuleError(`handlers module "${specifier}" exports no handler; a worker needs at least one`);
  }
  for (const [index, handler] of (handlers as unknown[]).entries()) {
    if (!isHandler(handler)) {
      throw new HandlersModuleError(
        `handlers module "${specifier}": entry ${index} is ${describe(handler)}, not a handler; make it with defineHandler()`,
      );
    }
  }
  return handlers as Handler[];
}

async function importModule(specifier: string, cwd: string): Promise<unknown> {
  const location = locate(specifier, cwd);
  try {
    return await import(location);
  } catch (error) {
    throw new HandlersModuleError(`handlers module "${specifier}" (${location}) could not be loaded${reason(error)}`, {
      cause: error,
    });
  }
}

/** A URL for a path or a package; the bare name if only the import's own resolution can find the package. */
function locate(specifier: string, cwd: string): string {
  const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(cwd, specifier);
  const isPath = /^\.{1,2}(\/|\\|$)|^file:/.test(specifier) || isAbsolute(specifier) || existsSync(path);
  const { resolve: find } = createRequire(join(cwd, "from-here.js"));
  try {
    return pathToFileURL(find(isPath ? path : specifier)).href;
  } catch (error) {
    const { code } = error as { code?: string };
    // A package for import only has nothing that require may see; import itself then decides.
    if (!isPath && code !== "MODULE_NOT_FOUND") return specifier;
    const wanted = isPath ? `there is no module at ${path}` : `no package "${specifier}" is installed for ${cwd}`;
    throw new HandlersModuleError(
      `handlers module "${specifier}": ${wanted}; write the path of a module (./handlers.js) or an installed package`,
      { cause: error },
    );
  }
}

/** What was thrown, for those who see the message only; the whole error is the cause. */
function reason(thrown: unknown): string {
  const isSource = (thrown as { code?: string } | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION";
  const text = thrown instanceof Error ? String(thrown) : inspect(thrown);
  return `: ${text}${isSource ? "; name the compiled JavaScript, not its source" : ""}`;
}

/** The default export, also of a CommonJS module that was compiled from an ES module. */
function defaultExport(module: unknown): unknown {
  const outer = (module as { default?: unknown }).default;
  const isCompiled = typeof outer === "object" && outer !== null && "__esModule" in outer && "default" in outer;
  return isCompiled ? outer.default : outer;
}

async function callFactory(specifier: string, factory: unknown, env: unknown): Promise<unknown> {
  try {
    return await (factory as (env: unknown) => unknown)(env);
  } catch (error) {
    throw new HandlersModuleError(
      `handlers module "${specifier}": its default-exported function threw${reason(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** By shape, not by class: the module may bring its own copy of the library. */
function isHandler(value: unknown): value is Handler {
  if (typeof value !== "object" || value === null) return false;
  const { eventType, settings, handle } = value as Partial<Handler>;
  return typeof eventType === "string" && typeof settings === "object" && typeof handle === "function";
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && "handle" in value) return "an object with a handle function but no settings";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
