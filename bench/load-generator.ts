/**
 * A child process that sends the same request on many connections, the next one when the answer is complete, and counts. Raw sockets:
 * a full HTTP client would use more processor time than the servers that it measures.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type Load = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly ms: number;
  /** Any other status is an error. */
  readonly status: number;
};

export type Rate = {
  readonly answersPerS: number;
  readonly bytesPerS: number;
};

export async function generateLoad(load: Load): Promise<Rate> {
  const child = fork(import.meta.filename, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  try {
    child.send(load);
    const [rate] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [Rate | number];
    if (typeof rate !== "object") throw new Error("the load generator has failed");
    return rate;
  } finally {
    child.kill();
  }
}

const WARM_UP_MS = 500;
const BUFFER_BYTES = 256 * 1024;

async function run({ port, path, headers, connections, ms, status }: Load): Promise<Rate> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const count = { answers: 0, bytes: 0 };
  let isOver = false;
  const sockets = Array.from({ length: connections }, () => {
    const socket = keepAsking({ port, request, status, count });
    socket.on("error", (error) => !isOver && fail(error));
    socket.on("close", () => !isOver && fail(new Error("the server has closed a connection")));
    return socket;
  });
  await delay(WARM_UP_MS);
  const before = { ...count };
  const began = performance.now();
  await delay(ms);
  const seconds = (performance.now() - began) / 1000;
  isOver = true;
  const { answers, bytes } = count;
  for (const socket of sockets) socket.destroy();
  return { answersPerS: (answers - before.answers) / seconds, bytesPerS: (bytes - before.bytes) / seconds };
}

type Asking = {
  readonly port: number;
  readonly request: Buffer;
  readonly status: number;
  readonly count: { answers: number; bytes: number };
};

function keepAsking({ port, request, status, count }: Asking): Socket {
  let head = "";
  let left = 0;
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const socket: Socket = connect({
    host: "127.0.0.1",
    port,
    noDelay: true,
    onread: {
      buffer,
      callback: (length) => {
        count.bytes += length;
        let at = 0;
        while (at < length) {
          if (left === 0) {
            const end = buffer.indexOf("\r\n\r\n", at);
            if (end === -1 || end >= length) {
              head += buffer.toString("latin1", at, length);
              break;
            }
            head += buffer.toString("latin1", at, end);
            at = end + 4;
            left = bodyLength(head, status);
            head = "";
          }
          const taken = Math.min(left, length - at);
          at += taken;
          left -= taken;
          if (left > 0) break;
          count.answers += 1;
          socket.write(request);
        }
        return true;
      },
    },
  });
  socket.write(request);
  return socket;
}

function bodyLength(head: string, status: number): number {
  if (Number(head.slice(9, 12)) !== status) fail(new Error(`unexpected answer: ${head}`));
  return status === 304 ? 0 : Number(/^content-length: *(\d+)$/im.exec(head)?.[1]);
}

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

if (import.meta.main)
  process.once("message", (load: Load) => void run(load).then((rate) => process.send?.(rate)));
