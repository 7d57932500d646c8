/** The threads that write the files of renders (`write-thread.ts`). They are started when they are first needed. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { programBeside } from "../lib/thread-program.ts";
import type { FileOptions, WrittenFile } from "./file-writer.ts";
import type { FileEvents, OpenFile, SentFile } from "./sent-file.ts";
import { DamagedFile } from "./stored-files.ts";
import type { WriteAnswer, WriteRequest } from "./write-thread.ts";

/**
 * A thread writes whole files, so more than three have nothing to do.
 */
const MAX_THREADS = 3;
const threadCount = Math.min(availableParallelism(), MAX_THREADS);

/** A thread has few objects: what it writes is outside of its heap. The default is 64 MB. */
const YOUNG_MB = 6;

const PROGRAM = programBeside(import.meta, "write-thread");

type FileOnThread = FileEvents & {
  /** How many answers the thread owes. */
  owed: number;
  finished: PromiseWithResolvers<WrittenFile> | undefined;
  closed: PromiseWithResolvers<void> | undefined;
};

class WriteThread {
  private readonly worker = new Worker(PROGRAM, {
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  private readonly files = new Map<number, FileOnThread>();
  private isOver = false;
  private owed = 0;
  /** New bytes of the files that are open. */
  sentBytes = 0;

  constructor(onExit: () => void) {
    this.worker.on("message", (answer: WriteAnswer) => this.take(answer));
    this.worker.on("error", (error) => this.end(error));
    this.worker.on("exit", () => {
      this.end(new Error("the thread that writes files has ended"));
      onExit();
    });
    // Last: to listen for messages keeps the process running.
    this.worker.unref();
  }

  open(id: number, options: FileOptions, events: FileEvents): SentFile {
    const file: FileOnThread = { ...events, owed: 0, finished: undefined, closed: undefined };
    this.files.set(id, file);
    if (!this.isOver) this.worker.postMessage({ id, kind: "open", options } satisfies WriteRequest, []);
    return {
      send: ({ bytes, steps }) => {
        this.sentBytes += bytes.length;
        this.ask(file, { id, kind: "batch", bytes, steps }, [bytes.buffer as ArrayBuffer]);
      },
      finish: async () => {
        file.finished = Promise.withResolvers();
        this.ask(file, { id, kind: "finish" });
        return file.finished.promise;
      },
      close: async () => {
        if (!this.files.has(id)) return;
        file.closed = Promise.withResolvers();
        this.ask(file, { id, kind: "close" });
        await file.closed.promise;
      },
    };
  }

  private ask(file: FileOnThread, request: WriteRequest, transfer: ArrayBuffer[] = []): void {
    if (this.isOver || !this.files.has(request.id)) return;
    this.owe(file, 1);
    this.worker.postMessage(request, transfer);
  }

  /** The process does not end while the thread owes an answer. */
  private owe(file: FileOnThread, answers: number): void {
    file.owed += answers;
    this.owed += answers;
    if (this.owed > 0) this.worker.ref();
    else this.worker.unref();
  }

  private take(answer: WriteAnswer): void {
    const file = this.files.get(answer.id);
    if (!file) return;
    if (answer.kind === "failed" || answer.kind === "closed") {
      this.forget(answer.id, file);
      if (answer.kind === "failed") fail(file, errorOf(answer));
      file.closed?.resolve();
      return;
    }
    this.owe(file, -1);
    if (answer.kind === "applied") file.onApplied(answer.bytes);
    else file.finished?.resolve(answer.written);
  }

  /** The thread has closed the file. */
  private forget(id: number, file: FileOnThread): void {
    this.owe(file, -file.owed);
    this.files.delete(id);
    if (this.files.size === 0) this.sentBytes = 0;
  }

  private end(error: unknown): void {
    this.isOver = true;
    for (const file of this.files.values()) {
      fail(file, error);
      file.closed?.resolve();
    }
    this.files.clear();
  }
}

function fail(file: FileOnThread, error: unknown): void {
  file.onFailed(error);
  file.finished?.reject(error);
}

/** Neither classes nor codes survive the way between threads. */
function errorOf({ message, code, isDamaged }: Extract<WriteAnswer, { kind: "failed" }>): Error {
  return isDamaged ? new DamagedFile(message) : Object.assign(new Error(message), { code });
}

const threads: WriteThread[] = [];
let lastId = 0;

/** On the thread that has the least to write. The largest files have something to send first. */
export const openOnThread: OpenFile = (options, events) => {
  if (threads.length < threadCount) {
    const started = new WriteThread(() => void threads.splice(threads.indexOf(started), 1));
    threads.push(started);
  }
  const [thread] = threads.toSorted((a, b) => a.sentBytes - b.sentBytes);
  if (!thread) throw new Error("no thread was started");
  return thread.open(++lastId, options, events);
};
