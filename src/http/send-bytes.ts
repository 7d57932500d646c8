/**
 * Sends a part of a file with one buffer, which is filled again when the client has taken it: a stream would allocate a
 * new one for each read, which costs more than the read. Resolves when everything is sent or the client has gone; the
 * parts are closed then.
 */
import type { ServerResponse } from "node:http";
import type { OpenParts } from "../files/stored-files.ts";

/**
 * Also what a stalled reader costs: with many of them, each gets a small one. Large ones take a quarter less processor
 * time.
 */
const LARGE_BUFFER = 384 * 1024;
const SMALL_BUFFER = 64 * 1024;
const MAX_LARGE = 32;

let senders = 0;

export async function sendBytes(
  response: ServerResponse,
  { parts, close }: OpenParts,
  bytes: number,
): Promise<void> {
  senders += 1;
  const size = senders <= MAX_LARGE ? LARGE_BUFFER : SMALL_BUFFER;
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, bytes));
  try {
    for (const { opened, start, end } of parts) {
      for (let at = start; at < end; ) {
        const bytesRead = await opened.read(buffer.subarray(0, end - at), at);
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
    senders -= 1;
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
