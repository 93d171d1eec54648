export interface DemoOptions {
  help: boolean;
  exit: boolean;
  tasks: number | null;
  rate: number | null;
  concurrency: number | null;
  ports: { console: number; worker: number; service: number; downstream: number };
}

export const helpText: string;
export function parseDemoOptions(args: string[], env: Record<string, string | undefined>): DemoOptions;
