/** Attacks by connections that send nothing more, or read nothing. */
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { whileAttacked } from "./attack-measures.ts";
import type { Watch } from "./attack-measures.ts";
import type { World } from "./world.ts";

async function openSockets(world: World, count: number, head: string): Promise<Socket[]> {
  const port = Number(new URL(world.service.url).port);
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.pause();
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    socket.write(head);
    sockets.push(socket);
  }
  return sockets;
}

/** Many connections that send nothing more or read nothing. */
export async function flood(
  watch: Watch,
  { name, count, head }: { readonly name: string; readonly count: number; readonly head: string },
): Promise<void> {
  await whileAttacked(watch, name, async (signal) => {
    const sockets = await openSockets(watch.world, count, head);
    await once(signal, "abort");
    for (const socket of sockets) socket.destroy();
  });
}
