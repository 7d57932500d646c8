/** A thread that writes files of renders: it compresses, hashes, checks and writes what `segment-sink.ts` sends. */
import { parentPort } from "node:worker_threads";
import { type FileBatch, type FileOptions, FileWriter, type WrittenFile } from "./file-writer.ts";
import { DamagedFile } from "./stored-files.ts";

/** `id`: one file. */
export type WriteRequest = { readonly id: number } & (
  | { readonly kind: "open"; readonly options: FileOptions }
  | ({ readonly kind: "batch" } & FileBatch)
  | { readonly kind: "finish" }
  | { readonly kind: "close" }
);

export type WriteAnswer = {
  readonly id: number;
} /** A batch was written; its buffer can be used again. */ & (
  | { readonly kind: "applied"; readonly bytes: Uint8Array }
  | { readonly kind: "finished"; readonly written: WrittenFile }
  | { readonly kind: "failed"; readonly message: string; readonly code: unknown; readonly isDamaged: boolean }
  | { readonly kind: "closed" }
);

const writers = new Map<number, FileWriter>();

const answer = (message: WriteAnswer, transfer: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transfer);

async function perform(request: WriteRequest): Promise<void> {
  const { id } = request;
  if (request.kind === "open") {
    writers.set(id, new FileWriter(request.options));
    return;
  }
  const writer = writers.get(id);
  if (request.kind === "close") {
    writers.delete(id);
    writer?.close();
    answer({ id, kind: "closed" });
  } else if (writer && request.kind === "finish") {
    answer({ id, kind: "finished", written: await writer.finish() });
  } else if (writer && request.kind === "batch") {
    const { bytes, steps } = request;
    writer.apply({ bytes, steps });
    answer({ id, kind: "applied", bytes }, [bytes.buffer as ArrayBuffer]);
  }
}

parentPort?.on("message", (request: WriteRequest) => {
  perform(request).catch((error: unknown) => {
    // What follows for this file is ignored.
    writers.get(request.id)?.close();
    writers.delete(request.id);
    const { message = String(error), code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    answer({ id: request.id, kind: "failed", message, code, isDamaged: error instanceof DamagedFile });
  });
});
