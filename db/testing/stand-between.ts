import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { ConnectionSettings } from "../connection-options.ts";

export interface PlaceBetween {
  /** The settings that lead through it. */
  readonly connection: ConnectionSettings;
  /** Takes no more connections. */
  close(): void;
}

/** A place between client and server, where the test says how bytes are passed on. Nothing is closed by itself. */
export async function standBetween(
  settings: ConnectionSettings,
  pass: (client: Socket, server: Socket) => void,
): Promise<PlaceBetween> {
  const { host = "127.0.0.1", port = 3306 } = settings;
  const place = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ host, port });
    pass(client, server);
    for (const socket of [client, server]) socket.on("error", () => undefined);
  });
  place.listen(0, "127.0.0.1");
  await once(place, "listening");
  const address = place.address() as AddressInfo;
  return { connection: { ...settings, host: address.address, port: address.port }, close: () => void place.close() };
}
