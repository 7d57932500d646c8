/** Attacks by connections that send nothing more, or read nothing. */
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { IDLE_LIMIT_MS, memoryOf, note, whileAttacked } from "./attack-measures.ts";
import { expect, settles } from "./problems.ts";
import type { Tenant, World } from "./world.ts";

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

/** Many connections that send nothing more or read nothing: memory comes back when they are gone. */
export async function flood(
  world: World,
  victim: Tenant,
  { name, count, head }: { readonly name: string; readonly count: number; readonly head: string },
): Promise<void> {
  const { pid } = world.service;
  const before = await memoryOf(pid);
  let peak = before;
  await whileAttacked(world, { name, victim }, async (signal) => {
    const sockets = await openSockets(world, count, head);
    while (!signal.aborted) {
      peak = Math.max(peak, await memoryOf(pid));
      await delay(200);
    }
    for (const socket of sockets) socket.destroy();
  });
  const isBack = async () => (await memoryOf(pid)) < before * 1.5 + 50;
  expect(await settles(isBack, IDLE_LIMIT_MS), `${name}: memory does not come back`);
  note(`${name}: MB before, at most, after`, `${before}, ${peak}, ${await memoryOf(pid)}`);
}
