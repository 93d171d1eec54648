import { describe, expect, it } from "vitest";
import { engineConfig, type ServiceDatabase } from "./engine/config.ts";
import { EnvironmentError, readCliEnv, readWorkerEnv, TUNING_NUMBERS } from "./env.ts";

const VALID = { DATABASE_URL: "mysql://root:secret@127.0.0.1:3306/app", REDRIVE_HANDLERS: "./handlers.js" };

function problemsOf(variables: Record<string, string>): readonly string[] {
  try {
    readWorkerEnv({ ...VALID, ...variables });
    return [];
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
}

describe("readWorkerEnv", () => {
  it("fills in every default", () => {
    expect(readWorkerEnv(VALID)).toMatchObject({
      handlersModule: "./handlers.js",
      port: 3001,
      host: "127.0.0.1",
      wakeToken: undefined,
      logLevel: "info",
      graceMs: 30_000,
      tuning: { zone: "+00:00" },
      warnings: [],
    });
  });

  it("tells all problems at once, one line each, with the variable and what to write", () => {
    const problems = problemsOf({
      DATABASE_URL: "postgres://root:secret@127.0.0.1/app",
      REDRIVE_HANDLERS: "",
      WORKER_PORT: "http",
      LOG_LEVEL: "loud",
      REDRIVE_ZONE: "Europe/Berlin",
      REDRIVE_WAKE_TOKEN: "short",
      REDRIVE_CONNECTIONS: "1",
      REDRIVE_EAGER: "yes",
    });
    expect(problems).toEqual([
      'DATABASE_URL scheme "postgres" is not mysql or mariadb; expected mysql://user:password@host:3306/database',
      expect.stringMatching(/^REDRIVE_HANDLERS is not set; write the path .* such as \.\/handlers\.js/),
      expect.stringMatching(/^WORKER_PORT is "http"; write a whole number from 0 to 65535/),
      "REDRIVE_WAKE_TOKEN has 5 characters; write a random token of 16 to 512 characters",
      'LOG_LEVEL is "loud"; write one of fatal, error, warn, info, debug, trace, silent',
      expect.stringMatching(/^REDRIVE_ZONE is "Europe\/Berlin"; write a fixed offset/),
      'REDRIVE_EAGER is "yes"; write true or false',
      'REDRIVE_CONNECTIONS is "1"; write a whole number from 2 to 100 (connections; default 6)',
    ]);
    expect(problems.join()).not.toContain("secret");
  });

  it("counts an empty value as not set", () => {
    expect(problemsOf({ DATABASE_URL: "" })).toEqual([
      "DATABASE_URL is not set; write mysql://user:password@host:3306/database",
    ]);
    expect(readWorkerEnv({ ...VALID, REDRIVE_WAKE_TOKEN: "", WORKER_PORT: "" })).toMatchObject({ port: 3001 });
  });

  const numbers = {
    ...TUNING_NUMBERS,
    WORKER_PORT: { min: 0, max: 65_535 },
    REDRIVE_GRACE_MS: { min: 0, max: 3_600_000 },
    REDRIVE_HANDLER_CONNECTIONS: { min: 1, max: 1_000 },
  };
  /** Neighbours that keep rules about pairs of settings from hiding a limit. */
  const roomy = { REDRIVE_BEAT_INTERVAL_MS: "100", REDRIVE_DEAD_AFTER_MS: "500", REDRIVE_BLOCKED_AFTER_MS: "3600000" };
  const companions = (variable: string, value: number): Record<string, string> =>
    variable === "REDRIVE_BEAT_INTERVAL_MS" ? { ...roomy, REDRIVE_DEAD_AFTER_MS: String(3 * value + 500) } : roomy;

  it.each(Object.entries(numbers))("takes %s on its limits and refuses it beyond them", (variable, { min, max }) => {
    for (const value of [min, max]) {
      expect(problemsOf({ ...companions(variable, value), [variable]: String(value) })).toEqual([]);
    }
    for (const value of [String(min - 1), String(max + 1), `${min}.5`, "1e3", " 5", "0x10"]) {
      expect(problemsOf({ ...companions(variable, min), [variable]: value })).toEqual([
        expect.stringContaining(`${variable} is "${value}"; write a whole number from ${min} to ${max}`),
      ]);
    }
  });

  it.each(Object.entries(TUNING_NUMBERS))("has the engine's own limits and default for %s", (_, setting) => {
    const withOption = (value: number) => () =>
      engineConfig({ database: {} as ServiceDatabase, beatIntervalMs: 100, [setting.option]: value });
    expect(withOption(setting.min - 1)).toThrow(setting.option);
    expect(withOption(setting.max + 1)).toThrow(setting.option);
    const standard = engineConfig({ database: {} as ServiceDatabase })[setting.option];
    expect(setting.note).toContain(`default ${standard}`);
  });

  it("names both variables of a pair that does not fit", () => {
    expect(problemsOf({ REDRIVE_BEAT_INTERVAL_MS: "5000" })).toEqual([
      "REDRIVE_DEAD_AFTER_MS: REDRIVE_DEAD_AFTER_MS must be at least three times REDRIVE_BEAT_INTERVAL_MS",
    ]);
  });

  it.each([
    ["REDRIVE_WAKE_TOKEN", 16, 512],
    ["REDRIVE_ORIGIN", 1, 64],
  ])("takes %s of %i to %i characters", (variable, min, max) => {
    expect(problemsOf({ [variable]: "x".repeat(min) })).toEqual([]);
    expect(problemsOf({ [variable]: "x".repeat(max) })).toEqual([]);
    expect(problemsOf({ [variable]: "x".repeat(max + 1) })).toHaveLength(1);
    if (min > 1) expect(problemsOf({ [variable]: "x".repeat(min - 1) })).toHaveLength(1);
  });

  it("exports nowhere and purges nothing unexported unless it is told to", () => {
    const standard = { exportTarget: undefined, purgeRequiresExport: true, s3: undefined };
    expect(readWorkerEnv(VALID)).toMatchObject({ purge: true, history: standard });
    const bucket = {
      REDRIVE_EXPORT_TARGET: "s3://lake/redrive",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL: "http://127.0.0.1:9000",
    };
    expect(readCliEnv({ ...VALID, ...bucket }).history).toMatchObject({
      exportTarget: "s3://lake/redrive",
      s3: { accessKeyId: "id", endpoint: "http://127.0.0.1:9000" },
    });
    expect(problemsOf({ REDRIVE_EXPORT_TARGET: "gs://lake" })).toEqual([
      expect.stringMatching(/^REDRIVE_EXPORT_TARGET: .*not a place to export to/),
    ]);
    expect(problemsOf({ REDRIVE_EXPORT_TARGET: "s3://lake" })).toEqual([expect.stringMatching(/AWS_ACCESS_KEY_ID/)]);
    expect(problemsOf({ REDRIVE_PURGE_REQUIRES_EXPORT: "no", AWS_ENDPOINT_URL_S3: "127.0.0.1" })).toHaveLength(2);
  });

  it("warns of a variable that is a typing error, and not of the console's", () => {
    const { warnings } = readWorkerEnv({ ...VALID, REDRIVE_GRACE_SM: "1", REDRIVE_CONSOLE_TOKEN: "x" });
    expect(warnings).toEqual([
      "REDRIVE_GRACE_SM is not a setting of the worker and has no effect; did you mean REDRIVE_GRACE_MS?",
    ]);
  });
});

describe("readCliEnv", () => {
  it("needs the database only, and answers the engine's defaults", () => {
    const env = readCliEnv({ DATABASE_URL: VALID.DATABASE_URL, REDRIVE_ZONE: "+08:00", WORKER_PORT: "nonsense" });
    expect(env).toMatchObject({ zone: { name: "+08:00" }, tuning: { payloadBytesMax: 1_048_576 } });
  });

  it("lets a command move faster than a worker's duty, until the environment says how fast either may", () => {
    const paceOf = (given: Record<string, string>) => [
      readCliEnv({ ...VALID, ...given }).archive.rowsPerSecond,
      readWorkerEnv({ ...VALID, ...given }).archive?.rowsPerSecond,
    ];
    expect(paceOf({})).toEqual([5_000, 500]);
    expect(paceOf({ REDRIVE_ARCHIVE_ROWS_PER_SECOND: "0" })).toEqual([0, 0]);
    expect(paceOf({ REDRIVE_ARCHIVE_ROWS_PER_SECOND: "1000000" })).toEqual([1_000_000, 1_000_000]);
    expect(() => paceOf({ REDRIVE_ARCHIVE_ROWS_PER_SECOND: "1000001" })).toThrow(/0 to 1000000/);
  });
});
