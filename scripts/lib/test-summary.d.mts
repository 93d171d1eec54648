import type { TestCounts } from "./test-report.mjs";

export interface PhaseResult {
  verdict: "passed" | "failed" | "not run";
  reason?: string;
  counts?: TestCounts;
}

export interface FinishedPhase extends PhaseResult {
  name: string;
  milliseconds: number;
}

export function runPhase(name: string, body: () => Promise<PhaseResult>): Promise<FinishedPhase>;
export function verdictOf(run: { ok: boolean; counts: TestCounts }, nothing: string): PhaseResult;
export function summarise(phases: FinishedPhase[]): string[];
