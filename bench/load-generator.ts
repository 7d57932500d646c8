/**
 * A child process that sends the same request on many connections, the next one when the answer is complete, and
 * counts. `undici` is what readers use; it needs more processor time for a small answer than any of the servers. `raw`
 * sockets show the limits of the servers.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";

export type Load = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: "undici" | "raw";
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

/** Compiles the code of client and server. */
const WARM_UP_MS = 1_000;
const BUFFER_BYTES = 256 * 1024;

type Count = { answers: number; bytes: number };

async function run(load: Load): Promise<Rate> {
  const count: Count = { answers: 0, bytes: 0 };
  const stop = load.client === "raw" ? askRaw(load, count) : askByUndici(load, count);
  await delay(WARM_UP_MS);
  const before = { ...count };
  const began = performance.now();
  await delay(load.ms);
  const seconds = (performance.now() - began) / 1000;
  const { answers, bytes } = count;
  stop();
  return { answersPerS: (answers - before.answers) / seconds, bytesPerS: (bytes - before.bytes) / seconds };
}

function askByUndici({ port, path, headers, connections, status }: Load, count: Count): () => void {
  const origin = `http://127.0.0.1:${port}`;
  const agent = new Agent({ connections, pipelining: 1 });
  const over = new AbortController();
  const loop = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { statusCode, body } = await agent.request({ origin, path, method: "GET", headers });
      if (statusCode !== status) fail(new Error(`unexpected status ${statusCode}`));
      for await (const chunk of body as AsyncIterable<Buffer>) count.bytes += chunk.length;
      count.answers += 1;
    }
  };
  for (let i = 0; i < connections; i += 1)
    void loop().catch((error: Error) => !over.signal.aborted && fail(error));
  return () => {
    over.abort();
    void agent.destroy();
  };
}

function askRaw({ port, path, headers, connections, status }: Load, count: Count): () => void {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  let isOver = false;
  const sockets = Array.from({ length: connections }, () => {
    const socket = keepAsking({ port, request, status, count });
    socket.on("error", (error) => !isOver && fail(error));
    socket.on("close", () => !isOver && fail(new Error("the server has closed a connection")));
    return socket;
  });
  return () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
}

type Asking = {
  readonly port: number;
  readonly request: Buffer;
  readonly status: number;
  readonly count: Count;
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
