export { createEngine } from "./engine.ts";
export type { Engine, EngineHealth, StopReport } from "./engine-api.ts";
export type { EngineOptions, EngineTuning, ServiceDatabase, TransactionOf } from "./config.ts";
export {
  type AttemptContext,
  defineHandler,
  type DrizzleTransaction,
  type ErrorVerdict,
  type Handler,
  type HandlerOptions,
  type HandlerResult,
  type HandlerRetryOptions,
  type Task,
} from "./handler.ts";
export type { EnqueueTask, EnqueueVerdict } from "./enqueue.ts";
export type { TransactionHandle } from "./transaction-handle.ts";
export type { SqlSeam, SqlValue } from "../../db/session.ts";
export type { EngineEventMap, EngineEventName } from "./events.ts";
export type { Logger } from "./logger.ts";
export {
  Cancel,
  ClaimLostError,
  DuplicateTaskError,
  EnqueueError,
  NonRetryableError,
  RedriveError,
  type RedriveErrorCode,
  RetryAfterError,
  Snooze,
  type When,
} from "./errors.ts";
