import { SetupError } from "./log.mjs";

export const helpText = `Usage: npm run demo -- [options]

Starts console, worker, an order service and a downstream that fails on purpose, and sends orders until Ctrl-C.

  --rate N          orders per second, 1 to 1000 (default 3; with --exit as fast as they are answered)
  --tasks N         stop sending orders when exactly N tasks are enqueued, 1 to 1000000
  --exit            with --tasks: no console; two workers, one of which is killed in the middle; ends when every task is
                    at its end; the last line is one JSON object; exit code 0 only if nothing was lost
  --concurrency N   orders in flight at once, 1 to 256 (default 16; with --exit it grows with N)
  --help            this text

Environment: DATABASE_URL (default: a private database), PORT (console, 3000), WORKER_PORT (3001),
ORDER_SERVICE_PORT (3002), DOWNSTREAM_PORT (3003), DOWNSTREAM_RATES (JSON such as {"broken":0.1}).
With --exit, free ports are taken.`;

const numbers = {
  "--tasks": { key: "tasks", max: 1_000_000 },
  "--rate": { key: "rate", max: 1_000 },
  "--concurrency": { key: "concurrency", max: 256 },
};

/**
 * @typedef {{ console: number, worker: number, service: number, downstream: number }} Ports
 * @typedef {{ help: boolean, exit: boolean, tasks: number | null, rate: number | null, concurrency: number | null, ports: Ports }} DemoOptions
 */

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {DemoOptions}
 * @throws {SetupError} for an unknown flag, a bad number, or flags that do not go together
 */
export function parseDemoOptions(args, env) {
  const options = { help: false, exit: false, tasks: null, rate: null, concurrency: null };
  const rest = args.flatMap((arg) => (/^--[a-z]+=/.test(arg) ? splitOnce(arg) : [arg]));
  while (rest.length > 0) {
    const flag = rest.shift();
    if (flag === "--help" || flag === "-h") options.help = true;
    else if (flag === "--exit") options.exit = true;
    else if (Object.hasOwn(numbers, flag)) {
      const { key, max } = numbers[flag];
      options[key] = wholeNumber(flag, rest.shift(), 1, max);
    } else throw new SetupError(`Unknown option ${flag}. \`npm run demo -- --help\` lists them.`);
  }
  if (options.exit && options.tasks === null) throw new SetupError("--exit needs --tasks N: how many tasks to run.");
  return { ...options, ports: options.help || options.exit ? noPorts : portsOf(env) };
}

const noPorts = { console: 0, worker: 0, service: 0, downstream: 0 };

function portsOf(env) {
  const port = (name, fallback) => wholeNumber(name, env[name] || String(fallback), 1, 65_535);
  return {
    console: port("PORT", 3000),
    worker: port("WORKER_PORT", 3001),
    service: port("ORDER_SERVICE_PORT", 3002),
    downstream: port("DOWNSTREAM_PORT", 3003),
  };
}

function wholeNumber(name, text, min, max) {
  const value = /^\d+$/.test(text ?? "") ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  const given = text === undefined ? "got nothing" : `got "${text}"`;
  throw new SetupError(`${name} must be a whole number from ${min} to ${max}, ${given}.`);
}

const splitOnce = (arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)];
