/** A file that is written from front to back, in few large writes, and synced at its end. */
import { type FileHandle, open } from "node:fs/promises";

const WRITE_BYTES = 512 * 1024;

export class BufferedFile {
  private readonly path: string;
  private readonly mode: number;
  private handle: FileHandle | undefined;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  bytes = 0;

  constructor(path: string, mode: number) {
    this.path = path;
    this.mode = mode;
  }

  async write(bytes: Buffer): Promise<void> {
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    this.bytes += bytes.length;
    if (this.pendingBytes >= WRITE_BYTES) await this.flush();
  }

  /** Resolves when all bytes are on disk. */
  async finish(): Promise<void> {
    await this.flush();
    await this.handle?.sync();
    await this.close();
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }

  private async flush(): Promise<void> {
    this.handle ??= await open(this.path, "w", this.mode);
    let rest: readonly Buffer[] = this.pending;
    this.pending = [];
    this.pendingBytes = 0;
    while (rest.length > 0) {
      const { bytesWritten } = await this.handle.writev(rest);
      rest = after(rest, bytesWritten);
    }
  }
}

/** What is left of the buffers after their first bytes. */
function after(buffers: readonly Buffer[], bytes: number): readonly Buffer[] {
  let left = bytes;
  for (const [index, buffer] of buffers.entries()) {
    if (left < buffer.length) return [buffer.subarray(left), ...buffers.slice(index + 1)];
    left -= buffer.length;
  }
  return [];
}
