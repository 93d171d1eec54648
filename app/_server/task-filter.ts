import { createHash } from "node:crypto";
import * as z from "zod";
import { TASK_STATES, type TaskFilter } from "../../db/queries/task-filter.ts";
import { instant, instantText } from "./instant-input.ts";
import { wordList } from "./list-input.ts";
import { taskId } from "./task-input.ts";

export type { TaskFilter };

export const IDS_MAX = 500;
export const EVENT_TYPES_MAX = 100;

const eventTypeName = z.string().min(1).max(64);
const text = (length: number) => z.string().min(1).max(length);

const fields = {
  state: z.enum(TASK_STATES).default("all"),
  eventTypes: z.array(eventTypeName).min(1).max(EVENT_TYPES_MAX).transform(sortedOnce).optional(),
  bizKey: text(128).optional(),
  bizKeyPrefix: text(128).optional(),
  ids: z.array(taskId).min(1).max(IDS_MAX).transform(sortedOnce).optional(),
  cause: text(16).optional(),
  errorText: text(200).optional(),
  worker: text(64).optional(),
  minAttempts: z.number().int().min(1).max(1_000_000).optional(),
  recycled: z.literal(true).optional(),
  wasReset: z.literal(true).optional(),
  bulkId: taskId.optional(),
  overdueSeconds: z
    .number()
    .int()
    .min(1)
    .max(366 * 86_400)
    .optional(),
  createdFrom: instant.optional(),
  createdTo: instant.optional(),
};

/** A filter of tasks as JSON: what a bulk action keeps, what a saved view means. Unknown names are refused. */
export const taskFilter = z.strictObject(fields) satisfies z.ZodType<TaskFilter>;

/**
 * The same filter as the words of an address, the one form of it that the page, the list, the counts and the export
 * share: lists are separated by commas, a comma within an event type is written %2C.
 */
export const taskFilterQuery = {
  state: fields.state,
  eventType: wordList.pipe(z.array(eventTypeName).min(1).max(EVENT_TYPES_MAX)).optional(),
  bizKey: fields.bizKey,
  bizKeyPrefix: fields.bizKeyPrefix,
  ids: wordList.pipe(z.array(taskId).min(1).max(IDS_MAX)).optional(),
  cause: fields.cause,
  errorText: fields.errorText,
  worker: fields.worker,
  minAttempts: digits(1_000_000),
  recycled: yes(),
  wasReset: yes(),
  bulkId: fields.bulkId,
  overdueSeconds: digits(366 * 86_400),
  createdFrom: instantText.optional(),
  createdTo: instantText.optional(),
};

/** The filter that the words of an address name; what else the schema of a route took is left aside. */
export function filterOf(query: z.output<z.ZodObject<typeof taskFilterQuery>>): TaskFilter {
  const { eventType, ...words } = query;
  const names = Object.keys(fields).filter((name) => name in words);
  return taskFilter.parse({
    ...Object.fromEntries(names.map((name) => [name, words[name as keyof typeof words]])),
    eventTypes: eventType,
  });
}

/** A short name of a filter that two equal filters share, whatever the order of their parts. */
export function filterHash(filter: TaskFilter, more: readonly unknown[] = []): string {
  const parts = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([parts, ...more]))
    .digest("base64url")
    .slice(0, 12);
}

function yes() {
  return z
    .literal("true")
    .transform(() => true as const)
    .optional();
}

function digits(max: number) {
  return z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, "is not a positive whole number")
    .transform(Number)
    .pipe(z.number().max(max))
    .optional();
}

function sortedOnce(texts: string[]): string[] {
  return [...new Set(texts)].sort();
}
