import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { sendBytes } from "./send-bytes.ts";

const BYTES = randomBytes(3_000_000);
const isOpen = ({ fd }: FileHandle): boolean => fd !== -1;

/** A server that sends the file; `sent` has one promise for each request, with its handle. */
async function fileServer(dir: string) {
  const path = join(dir, "file");
  await writeFile(path, BYTES);
  const sent: Promise<FileHandle>[] = [];
  const server = createServer((request, response) => {
    const [start = 0, end = BYTES.length - 1] = (request.url ?? "").slice(1).split("-").map(Number);
    const send = async () => {
      const handle = await open(path);
      response.setHeader("content-length", end - start + 1);
      const opened = {
        read: async (buffer: Buffer, at: number) =>
          (await handle.read(buffer, 0, buffer.length, at)).bytesRead,
        close: async () => handle.close(),
      };
      const parts = [{ folder: "", opened, start, end: end + 1 }];
      await sendBytes(response, { parts, close: async () => handle.close() }, end - start + 1);
      return handle;
    };
    sent.push(send());
    server.emit("asked");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port, sent, asked: async () => once(server, "asked"), [Symbol.asyncDispose]: close };
}

test("every part of a file is sent byte for byte, and the file is closed", async () => {
  await using dir = await tempDir();
  await using server = await fileServer(dir.path);
  for (const [start, end] of [
    [0, BYTES.length - 1],
    [0, 0],
    [BYTES.length - 1, BYTES.length - 1],
    [131_071, 131_072],
    [5, 1_000_000],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/${start}-${end}`);

    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(BYTES.subarray(start, end + 1)));
  }
  for (const handle of await Promise.all(server.sent)) assert.equal(isOpen(handle), false);
});

test("the file is closed when the client goes, also that of an answer that waits for the one before", async () => {
  await using dir = await tempDir();
  await using server = await fileServer(dir.path);
  const socket = connect(server.port, "127.0.0.1");
  const asked = server.asked();
  socket.write("GET /0-2999999 HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2));
  await asked;
  await once(socket, "readable");

  socket.destroy();

  for (const handle of await Promise.all(server.sent)) assert.equal(isOpen(handle), false);
  assert.equal(server.sent.length, 2);
});

test("a file that is shorter than announced breaks the connection", async () => {
  await using dir = await tempDir();
  await using server = await fileServer(dir.path);

  const answer = await fetch(`http://127.0.0.1:${server.port}/0-${BYTES.length + 9}`);

  await assert.rejects(answer.arrayBuffer());
  for (const handle of await Promise.all(server.sent)) assert.equal(isOpen(handle), false);
});
