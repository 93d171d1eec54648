/**
 * Ends what a demo has started if the demo itself is killed and cannot do so. It is told process ids on stdin, `+ID`
 * when one starts and `-ID` when it has ended; the end of stdin means that the demo is gone.
 */
const pids = new Set();
let text = "";

// A Ctrl-C in the terminal is the demo's business.
process.on("SIGINT", () => {});

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (text + chunk).split("\n");
  text = lines.pop() ?? "";
  for (const line of lines) {
    if (line.startsWith("+")) pids.add(Number(line.slice(1)));
    else pids.delete(Number(line.slice(1)));
  }
});
process.stdin.on("close", () => {
  for (const pid of pids) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
});
