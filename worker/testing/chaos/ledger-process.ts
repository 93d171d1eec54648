import { appendFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

// The effect ledger: a process of its own that no fault is aimed at. Each line it is sent is in its file, with the time
// by the machine's clock, before it is acknowledged. FILE
const [file = ""] = process.argv.slice(2);

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => undefined);
  const lines = createInterface({ input: socket });
  // A process that is killed resets its connection.
  lines.on("error", () => undefined);
  lines.on("line", (text) => {
    const { n, ...line } = JSON.parse(text) as { n: number };
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), ...line })}\n`);
    if (socket.writable) socket.write(`${n}\n`);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
