import tseslint from "typescript-eslint";

/** Folders and the parts of our own code that they may not import; the arrows of the tree, as rules. */
const border = (files, patterns, ignores = []) => ({
  files,
  ignores,
  rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns }] },
});
const forbid = (group, message) => ({ group, message });
/** May be imported for their types, which are gone when the code runs. */
const forbidValues = (group, message) => ({ group, message, allowTypeImports: true });

export default tseslint.config(
  {
    ignores: [
      "node_modules/**",
      "dist/**",
      ".next/**",
      ".next-below/**",
      ".redrive/**",
      "coverage/**",
      "test-results/**",
      "playwright-report/**",
      "next-env.d.ts",
    ],
  },
  ...tseslint.configs.recommended,
  {
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      eqeqeq: ["error", "always"],
      "no-console": "error",
    },
  },
  border(
    ["db/**/*.ts"],
    [forbid(["**/worker/**", "**/app/**", "**/examples/**", "**/scripts/**"], "db imports nothing of ours")],
    ["db/**/*.test.ts"],
  ),
  border(
    ["worker/engine/**/*.ts"],
    [
      forbid(
        [
          ...["app", "examples", "scripts", "cli", "duties", "export", "http", "handlers", "metrics"].map(
            (name) => `**/${name}/**`,
          ),
          "../*.ts",
        ],
        "the engine imports db only",
      ),
      forbid(
        ["react", "react-dom", "next", "next/*", "pino", "prom-client"],
        "the engine knows no console and formats nothing",
      ),
    ],
    ["worker/engine/**/*.test.ts"],
  ),
  {
    files: ["worker/engine/**/*.ts", "db/**/*.ts"],
    ignores: ["**/*.test.ts", "db/testing/**", "worker/testing/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "process", property: "env", message: "only env.ts reads the environment" },
        { object: "process", property: "exit", message: "only worker/main.ts may exit" },
        { object: "process", property: "on", message: "the engine installs no process-wide handlers" },
      ],
    },
  },
  border(
    ["worker/handlers/**/*.ts"],
    [forbid(["**/engine/*", "!**/engine/index.ts"], "handlers import the engine's public surface only")],
    ["worker/handlers/**/*.test.ts"],
  ),
  border(
    ["worker/{cli,http,metrics,duties,export}/**/*.ts"],
    [forbid(["**/app/**", "**/examples/**", "**/scripts/**"], "the worker imports engine and db only")],
  ),
  border(["app/**/*.{ts,tsx}"], [forbid(["**/worker/**", "**/examples/**"], "the console does not import the worker")]),
  border(
    ["app/_components/**/*.{ts,tsx}"],
    [
      forbid(["**/worker/**", "**/examples/**"], "the console does not import the worker"),
      forbidValues(
        ["**/_server/**", "**/db/**", "!**/db/schema/task-status.ts"],
        "what runs in the browser imports types only from the server side",
      ),
    ],
    ["app/_components/**/*.test.ts"],
  ),
  border(["e2e/**/*.ts"], [forbid(["**/worker/**", "**/app/**"], "browser tests import db/testing only")]),
  border(
    ["examples/**/*.ts"],
    [
      forbid(
        ["**/engine/*", "!**/engine/index.ts", "**/db/**", "**/app/**"],
        "services import the engine's public surface only",
      ),
    ],
    ["examples/**/*.test.ts"],
  ),
  {
    files: ["scripts/**/*.mjs", "worker/cli/**/*.ts", "worker/main.ts", "examples/**/*.ts", "bench/**/*.ts", "*.mjs"],
    rules: { "no-console": "off" },
  },
);
