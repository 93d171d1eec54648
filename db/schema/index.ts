export { task } from "./task.ts";
export { attempt } from "./attempt.ts";
export { eventType } from "./event-type.ts";
export { worker } from "./worker.ts";
export { metric } from "./metric.ts";
export { lease } from "./lease.ts";
