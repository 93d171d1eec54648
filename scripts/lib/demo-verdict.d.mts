export const meaningfulTasks: number;

export interface RunFindings {
  tasksWanted: number;
  placed: { id: string; eventTypes: string[] }[];
  tasks: {
    id: string;
    eventType: string;
    bizKey: string;
    status: "pending" | "running" | "succeeded" | "failed" | "cancelled";
    retryCount: number;
    recycleCount: number;
    finishReason: string | null;
  }[];
  orders: { id: string; state: string; paidCount: number }[];
  calls: { taskId: string; attempt: number; status: number | null }[];
}

export function judge(found: RunFindings): { counts: Record<string, number>; problems: string[] };
