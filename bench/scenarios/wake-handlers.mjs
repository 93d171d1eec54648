/* The handler of the wake scenario, as a worker process loads it: says on standard output when it was called. */

export default function wakeHandlers() {
  return [
    {
      eventType: "BENCH",
      settings: {},
      handle: (task) => {
        const atMs = performance.timeOrigin + performance.now();
        process.stdout.write(`${JSON.stringify({ level: "info", msg: "started", bizKey: task.bizKey, atMs })}\n`);
      },
    },
  ];
}
