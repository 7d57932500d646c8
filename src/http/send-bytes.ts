/**
 * Sends a part of a file with one buffer, which is filled again when the client has taken it: a stream would allocate a new one for each
 * read, which costs more than the read. Resolves when everything is sent or the client has gone; the handle is closed then.
 */
import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";

/** Also what a stalled reader costs. */
const BUFFER_BYTES = 128 * 1024;

export async function sendBytes(
  response: ServerResponse,
  handle: FileHandle,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, end - start + 1));
  try {
    for (let at = start; at <= end; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at + 1), at);
      if (bytesRead === 0) throw new Error("the file is too short");
      at += bytesRead;
      await write(response, buffer.subarray(0, bytesRead));
    }
    response.end();
  } catch {
    // The length is sent already: only a broken connection says that the rest is missing.
    response.destroy();
  } finally {
    await handle.close();
  }
}

async function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(new Error("the client has gone"));
  // A response that waits for its turn on the connection calls nothing back when that is closed.
  response.once("close", onClose);
  response.write(chunk, (error) => (error ? reject(error) : resolve()));
  try {
    await promise;
  } finally {
    response.off("close", onClose);
  }
}
