export interface TestCounts {
  passed: number;
  failed: number;
  notRun: string[];
  broken: string[];
}

export function countVitest(report: unknown, shorten: (path: string) => string): TestCounts;
export function countPlaywright(report: unknown): TestCounts;
