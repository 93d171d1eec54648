export interface TestCounts {
  passed: number;
  failed: number;
  notRun: string[];
  repeated: string[];
  broken: string[];
}

export function noTests(): TestCounts;
export function countVitest(report: unknown, shorten: (path: string) => string): TestCounts;
export function countPlaywright(report: unknown): TestCounts;
