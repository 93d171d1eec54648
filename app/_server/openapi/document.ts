import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { PROBLEM_STATUS, type ProblemCode } from "../console-error.ts";
import type { Operation } from "./operation.ts";

type Json = Record<string, unknown>;

const PROBLEM = {
  type: "object",
  required: ["type", "title", "status", "code", "requestId"],
  properties: {
    type: { type: "string" },
    title: { type: "string", description: "one sentence for people; its words may change" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(PROBLEM_STATUS), description: "to branch on" },
    requestId: { type: "string", description: "under which the log of the console holds the request" },
  },
};

const IDEMPOTENCY_PROBLEMS: readonly ProblemCode[] = ["idempotency_in_progress", "idempotency_mismatch"];

/** The OpenAPI 3.1 document of these operations. @throws Error if two schemas of one name differ. */
export function openApiDocument(operations: readonly Operation[], basePath = ""): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = describe(operation, components);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Redrive console API",
      version: "1",
      description: "Ids are decimal text. Instants are ISO 8601 with Z. Problems are application/problem+json.",
    },
    servers: [{ url: basePath || "/" }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      schemas: { Problem: PROBLEM, ...components.all },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "a machine's key: rdv_…" },
        session: { type: "apiKey", in: "cookie", name: "__Host-redrive", description: "a signed-in browser" },
      },
    },
  };
}

function describe(operation: Operation, components: Components): Json {
  const { method, id, summary, permission, params = {}, query, body, answer } = operation;
  const actsOnce = method !== "GET" && permission !== "anyone";
  const problems = [...(operation.problems ?? []), ...(actsOnce ? IDEMPOTENCY_PROBLEMS : [])];
  return {
    operationId: id,
    summary,
    "x-permission": permission,
    ...(permission === "anyone" ? { security: [] } : {}),
    parameters: [
      ...Object.entries(params).map(([name, schema]) => ({
        name,
        in: "path",
        required: true,
        schema: components.schemaOf(schema, "input"),
      })),
      ...(query ? queryParameters(query, components) : []),
      ...(actsOnce ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body ? { requestBody: { required: true, content: jsonContent(components.schemaOf(body, "input")) } } : {}),
    responses: { ...success(answer, components), ...problemAnswers(problems) },
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "a repeat with the same key and body gets the first answer again; kept 24 hours",
  schema: { type: "string", pattern: "^[!-~]{1,128}$" },
};

function queryParameters(query: z.ZodObject, components: Components): Json[] {
  const { properties = {}, required = [] } = components.schemaOf(query, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function success(answer: Operation["answer"], components: Components): Json {
  if ("redirect" in answer) return { 303: { description: answer.redirect } };
  if ("mediaType" in answer) return { 200: { description: "The file", content: { [answer.mediaType]: {} } } };
  return { 200: { description: "Done", content: jsonContent(components.schemaOf(answer, "output")) } };
}

/** One answer per status, with the codes that it may carry; all else is under `default`. */
function problemAnswers(problems: readonly ProblemCode[]): Json {
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const codes = new Map<number, ProblemCode[]>();
  for (const code of problems) codes.set(PROBLEM_STATUS[code], [...(codes.get(PROBLEM_STATUS[code]) ?? []), code]);
  return {
    ...Object.fromEntries([...codes].map(([status, names]) => [status, { description: names.join(", "), content }])),
    default: { description: "Any other problem", content },
  };
}

const jsonContent = (schema: unknown) => ({ "application/json": { schema } });

/** Named schemas, collected while operations are described. */
class Components {
  readonly #schemas = new Map<string, Json>();

  get all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io, unrepresentable: "any", override: withoutDates }) as Json & {
      $defs?: Record<string, Json>;
    };
    for (const [name, definition] of Object.entries($defs)) this.#add(name, definition);
    return located(root) as Json;
  }

  #add(name: string, definition: Json): void {
    const schema = located(definition) as Json;
    const known = this.#schemas.get(name);
    if (known && !isDeepStrictEqual(known, schema)) {
      throw new Error(`two schemas of the API are named ${name}`);
    }
    this.#schemas.set(name, schema);
  }
}

/** A `Date` is what the server itself hands over; a request carries its text, the other branch of the union. */
function withoutDates({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}) {
  if (zodSchema._zod.def.type !== "union" || !jsonSchema.anyOf) return;
  const { options } = zodSchema._zod.def;
  jsonSchema.anyOf = jsonSchema.anyOf.filter((_, index) => options[index]?._zod.def.type !== "date");
}

/** The same schema with its references as the document has them, and without patterns that only repeat a format. */
function located(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(located);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name]) => !(name === "pattern" && "format" in value && value.format === "date-time"),
  );
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      name === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : located(inner),
    ]),
  );
}
