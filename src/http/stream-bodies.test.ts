/** Request bodies that are not read, tested with a client that sends everything before it reads the answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import fastify from "fastify";
import { streamBodies } from "./stream-bodies.ts";
import type { Lingering } from "./stream-bodies.ts";

/** A server that answers as soon as it has the headers. */
async function deafServer(lingering: Lingering) {
  const app = fastify({ logger: false });
  await app.register(async (scope) => {
    streamBodies(scope, ["application/json"], lingering);
    scope.put("/", async (_request, reply) => reply.code(403).send({ no: true }));
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => app.close() };
}

/** Begins a call and leaves its answer unread. */
async function begin(port: number, length: number, connection: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  await once(socket, "connect");
  socket.write(
    `PUT / HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  return socket;
}

/** Resolves once the other side has taken the bytes, or with why it did not. */
const send = (socket: Socket, bytes: Buffer): Promise<Error | null> =>
  new Promise((resolve) => {
    socket.once("error", resolve);
    socket.write(bytes, (error) => resolve(error ?? null));
  });

const BODY = Buffer.alloc(40_000_000, " ");
const PATIENT: Lingering = { forMs: 20_000, maxBytes: 100_000_000 };

test("a client that sends everything before reading gets the answer, and then the requested close", async () => {
  await using server = await deafServer(PATIENT);
  const socket = await begin(server.port, BODY.length, "close");

  assert.equal(await send(socket, BODY), null);
  const pieces = await Array.fromAsync(socket as AsyncIterable<Buffer>);

  assert.match(Buffer.concat(pieces).toString(), /^HTTP\/1\.1 403 .*\{"no":true\}$/s);
});

test("a client can reuse its connection after a refusal", async () => {
  await using server = await deafServer(PATIENT);
  const socket = await begin(server.port, BODY.length, "keep-alive");

  assert.equal(await send(socket, BODY), null);
  const [first] = (await once(socket.resume(), "data")) as [Buffer];
  socket.write("PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
  const [second] = (await once(socket, "data")) as [Buffer];
  socket.destroy();

  assert.match(first.toString(), /^HTTP\/1\.1 403 /);
  assert.match(second.toString(), /^HTTP\/1\.1 403 /);
});

test("an endless body is discarded up to a limit, and then the connection is closed", async () => {
  await using server = await deafServer({ ...PATIENT, maxBytes: 1_000_000 });
  const socket = await begin(server.port, 10_000_000_000, "keep-alive");

  const failed = await send(socket, BODY);

  assert.match(String(failed && "code" in failed ? failed.code : failed), /EPIPE|ECONNRESET/);
});

test("a client that stops sending in the middle times out", async () => {
  await using server = await deafServer({ ...PATIENT, forMs: 20 });
  const socket = await begin(server.port, 1_000, "keep-alive");

  const pieces = await Array.fromAsync(socket as AsyncIterable<Buffer>).catch(() => null);

  assert.ok(socket.destroyed);
  assert.match(Buffer.concat(pieces ?? []).toString(), /^(HTTP\/1\.1 403 .*)?$/s);
});
