import type { Scenario } from "../scenario.ts";
import { crash } from "./crash.ts";
import { drain } from "./drain.ts";
import { eagerLatency } from "./eager-latency.ts";
import { enqueueMany, enqueueOne } from "./enqueue.ts";
import { growth } from "./growth.ts";
import { isolation } from "./isolation.ts";
import { lateness } from "./lateness.ts";
import { memory } from "./memory.ts";
import { eagerThroughput, steady } from "./steady.ts";
import { wake } from "./wake.ts";

export const SCENARIOS: readonly Scenario[] = [
  eagerLatency,
  wake,
  eagerThroughput,
  enqueueMany,
  enqueueOne,
  steady,
  drain,
  growth,
  lateness,
  crash,
  isolation,
  memory,
];
