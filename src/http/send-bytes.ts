/**
 * Sends a part of a file with one buffer, which is filled again when the client has taken it: a stream would allocate a new one for each
 * read, which costs more than the read. Resolves when everything is sent or the client has gone; the parts are closed then.
 */
import type { ServerResponse } from "node:http";
import type { OpenParts } from "../publish/stored-files.ts";

/** Also what a stalled reader costs. */
const BUFFER_BYTES = 128 * 1024;

export async function sendBytes(
  response: ServerResponse,
  { parts, close }: OpenParts,
  bytes: number,
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, bytes));
  try {
    for (const { handle, start, end } of parts) {
      for (let at = start; at < end; ) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at);
        if (bytesRead === 0) throw new Error("the file is too short");
        at += bytesRead;
        await write(response, buffer.subarray(0, bytesRead));
      }
    }
    response.end();
  } catch {
    // The length is sent already: only a broken connection says that the rest is missing.
    response.destroy();
  } finally {
    await close();
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
