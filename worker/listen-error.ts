/** Why a worker cannot listen, in the words of its settings. */
export function describeListenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is taken, perhaps by another worker; set WORKER_PORT to a free port, or to 0 for any`;
    case "EACCES":
      return `port ${port} on ${host} may not be used by this user; set WORKER_PORT to 1024 or more`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is no address of this machine; set WORKER_HOST to 127.0.0.1, or to 0.0.0.0 for all of them`;
    default:
      return `the worker cannot listen on ${host}, port ${port}: ${message ?? String(error)}`;
  }
}
