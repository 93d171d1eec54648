import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./console-process.ts";

const PROGRAM = "/usr/sbin/nginx";
const START_LIMIT_MS = 10_000;

export function hasNginx(): boolean {
  return existsSync(PROGRAM);
}

export interface Nginx {
  readonly origin: string;
  /** Begins to serve the path from these instances in turn. */
  serve(hosts: readonly string[]): Promise<void>;
  /** Every instance that has answered a request. */
  served(): Promise<ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** An nginx of the test's own, configured as docs/console.md says but for TLS. */
export async function startNginx(path: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "redrive-nginx-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const log = join(folder, "access.log");
  let stop = () => Promise.resolve();
  return {
    origin,
    async serve(hosts) {
      writeFileSync(join(folder, "nginx.conf"), configuration({ folder, port, path, hosts }));
      const child = spawn(PROGRAM, ["-p", folder, "-c", "nginx.conf", "-e", "error.log"], { stdio: "ignore" });
      stop = async () => {
        if (child.exitCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      };
      const limit = AbortSignal.timeout(START_LIMIT_MS);
      while (!(await fetch(`${origin}/up`, { signal: limit }).catch(() => undefined))?.ok) {
        limit.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    served: () =>
      Promise.resolve(
        new Set(
          readFileSync(log, "utf8")
            .split("\n")
            .filter((line) => line.includes(":")),
        ),
      ),
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(params: {
  readonly folder: string;
  readonly port: number;
  readonly path: string;
  readonly hosts: readonly string[];
}): string {
  const { folder, port, path, hosts } = params;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
pid ${folder}/nginx.pid;
events {}
http {
  ${temporary.join("\n  ")}
  log_format instance '$upstream_addr';
  access_log ${folder}/access.log instance;
  upstream redrive {
    ${hosts.map((host) => `server ${host};`).join("\n    ")}
  }
  server {
    listen 127.0.0.1:${port};
    location = /up { access_log off; return 200; }
    location ${path} {
      proxy_pass http://redrive;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}
`;
}
