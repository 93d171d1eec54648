import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take a quarter of a minute or more, the longest first. Where no earlier run tells how long each takes, the
 * largest file would come first, and a run would end with one short file that lasts for minutes.
 */
const LONG = [
  ...["engine/scenarios/crash-points", "engine/scenarios/chaos", "export/crash", "duties/archiver"],
  ...["engine/scenarios/e13", "engine/scenarios/d3", "engine/scenarios/outage", "cli/history-verbs", "main"],
  ...["engine/scenarios/t2", "engine/scenarios/fleet", "engine/scenarios/e10", "engine/scenarios/crash"],
  ...["engine/scenarios/d2", "export/purge-run", "engine/scenarios/soak", "engine/scenarios/e01"],
  ...["duties/scenarios/a1", "duties/bulk-runner", "export/s3-target"],
].map((name) => `/worker/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.endsWith(name));
  return rank < 0 ? LONG.length : rank;
}
