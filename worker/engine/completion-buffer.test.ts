import { describe, expect, it } from "vitest";
import { BATCH_ROWS_MAX } from "../../db/queries/claim-tasks.ts";
import { claimedTask } from "../testing/claimed-task.ts";
import { ManualClock, settled } from "../testing/manual-clock.ts";
import { Gate } from "../testing/wait-for.ts";
import { type Completion, CompletionBuffer } from "./completion-buffer.ts";

const completion = (id: number): Completion => ({ task: claimedTask(String(id)), reason: "success", durationMs: 1 });

function bufferWith(write: () => Promise<void> = () => Promise.resolve(), delayMs = 3) {
  const clock = new ManualClock();
  const batches: string[][] = [];
  const buffer = new CompletionBuffer(
    async (batch) => {
      batches.push(batch.map(({ task }) => task.id));
      await write();
    },
    delayMs,
    clock,
  );
  const add = (from: number, count: number): void => {
    for (let id = from; id < from + count; id++) buffer.add(completion(id));
  };
  return { clock, batches, buffer, add };
}

describe("CompletionBuffer", () => {
  it("writes what came within the delay together, in order", async () => {
    const { clock, batches, add } = bufferWith();
    add(1, 2);
    await clock.advance(2);
    add(3, 1);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(batches).toEqual([["1", "2", "3"]]);
    expect(clock.waitsMs).toEqual([]);
  });

  it("writes a full batch without waiting, and never more than a batch at once", async () => {
    const { batches, buffer, add } = bufferWith();
    add(1, BATCH_ROWS_MAX - 1);
    expect(batches).toEqual([]);
    add(BATCH_ROWS_MAX, 1);
    expect(batches.map((batch) => batch.length)).toEqual([BATCH_ROWS_MAX]);
    add(1_000, 2 * BATCH_ROWS_MAX + 1);
    await buffer.flush();
    expect(batches.map((batch) => batch.length)).toEqual([BATCH_ROWS_MAX, BATCH_ROWS_MAX, BATCH_ROWS_MAX, 1]);
    expect(new Set(batches.flat()).size).toBe(3 * BATCH_ROWS_MAX + 1);
  });

  it("has one statement under way; what arrives meanwhile is the next batch", async () => {
    const gate = new Gate();
    const { clock, batches, buffer, add } = bufferWith(() => gate.opened);
    add(1, 1);
    await clock.advance(3);
    add(2, 3);
    await clock.advance(1_000);
    expect(batches).toEqual([["1"]]);
    expect(buffer.backlog).toBe(3);
    gate.open();
    await settled();
    expect(batches).toEqual([["1"], ["2", "3", "4"]]);
    expect(buffer.backlog).toBe(0);
  });

  it("lets what came at the end of a statement grow older before the next, and a full batch not", async () => {
    let gate = new Gate();
    const { clock, batches, add } = bufferWith(() => gate.opened);
    add(1, 1);
    await clock.advance(3);
    await clock.advance(10);
    add(2, 1);
    await clock.advance(2);
    gate.open();
    await settled();
    add(3, 1);
    expect(batches).toEqual([["1"]]);
    gate = new Gate();
    await clock.advance(1);
    expect(batches).toEqual([["1"], ["2", "3"]]);
    add(1_000, BATCH_ROWS_MAX);
    gate.open();
    await settled();
    expect(batches.map((batch) => batch.length)).toEqual([1, 2, BATCH_ROWS_MAX]);
    expect(clock.waitsMs).toEqual([]);
  });

  it("flush writes at once and resolves only when everything is written", async () => {
    const gate = new Gate();
    const { batches, buffer, add } = bufferWith(() => gate.opened);
    add(1, 1);
    let isFlushed = false;
    const flushing = buffer.flush().then(() => {
      isFlushed = true;
    });
    add(2, 1);
    await settled();
    expect(batches).toEqual([["1"]]);
    expect(isFlushed).toBe(false);
    gate.open();
    await flushing;
    expect(batches).toEqual([["1"], ["2"]]);
    await buffer.flush();
    expect(batches).toHaveLength(2);
  });
});
