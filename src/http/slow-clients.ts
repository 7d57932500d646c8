/**
 * Time and memory limits for clients that send or read slowly or open many connections. Headers, bodies and responses
 * each have their own limit; the time between them has none, since a synchronous sync may take long. For pushed
 * bodies `pipeline/push` enforces a minimum rate.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import ipaddr from "ipaddr.js";

export type ClientLimits = {
  /** From the connection, or the first byte of the next request, to the end of its headers. */
  readonly headersMs: number;
  /** How often Node.js checks for overdue headers. */
  readonly checkMs: number;
  /** For the whole body of a request, except pushes, and for the rest of a body after the response. */
  readonly bodyMs: number;
  /** How long a reader may stall. */
  readonly writeMs: number;
  /** A response must be read at this average rate, plus `writeMs`. */
  readonly minReadBytesPerS: number;
  /** 0: no limit. */
  readonly maxPerAddress: number;
  readonly maxConnections: number;
};

export const CLIENT_LIMITS: ClientLimits = {
  headersMs: 20_000,
  checkMs: 5_000,
  bodyMs: 60_000,
  writeMs: 30_000,
  minReadBytesPerS: 10_000,
  maxPerAddress: 512,
  maxConnections: 10_000,
};

export type SlowClients = {
  /** No time limit for the body of this request. Its reader enforces a minimum rate. */
  readonly allowLongBody: (request: IncomingMessage) => void;
  /** A response begins: the reader's limits apply from now on. `bytes` is its length, if it is long. */
  readonly watchAnswer: (response: ServerResponse, bytes?: number) => void;
};

export function limitClients(server: Server, limits: ClientLimits): SlowClients {
  limitConnections(server, limits);
  const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const allowLongBody = (request: IncomingMessage): void => clearTimeout(bodyTimers.get(request));

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    const onTimeout = (): void => void (request.complete || closeWith(request.socket, response, 408));
    const timer = setTimeout(onTimeout, limits.bodyMs).unref();
    bodyTimers.set(request, timer);
    request.once("end", () => clearTimeout(timer));
    request.once("close", () => clearTimeout(timer));
  });

  return {
    allowLongBody,
    watchAnswer: (response, bytes = 0) => watchAnswer(response, bytes, limits),
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Node.js closes a connection that is idle for the timeout. A reader could take a byte now and then, so there is also
 * a deadline by the length of the response.
 */
function watchAnswer(response: ServerResponse, bytes: number, limits: ClientLimits): void {
  const { socket } = response;
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(limits.writeMs);
  const deadlineMs = limits.writeMs + (bytes / limits.minReadBytesPerS) * 1000;
  const timer = setTimeout(() => socket.destroy(), Math.min(deadlineMs, 2 ** 31 - 1)).unref();
  response.once("close", () => clearTimeout(timer));
}

function limitConnections(server: Server, { maxPerAddress, maxConnections }: ClientLimits): void {
  server.maxConnections = maxConnections;
  if (maxPerAddress === 0) return;
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? "");
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > maxPerAddress) refuse(socket, 429);
  });
}

/** One host: an IPv4 address, or an IPv6 /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}

const REFUSALS = {
  400: ["Bad Request", "The request is not valid HTTP."],
  408: ["Request Timeout", "The request did not arrive in time."],
  429: ["Too Many Requests", "Too many connections from this address."],
  431: ["Request Header Fields Too Large", "The address and the headers of the request are too long."],
} as const;

/** For a request that Node.js could not parse: no route has seen it. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") refuse(socket, 408);
  else refuse(socket, error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400);
}

function closeWith(socket: Socket, response: ServerResponse, status: keyof typeof REFUSALS): void {
  if (response.headersSent) socket.destroy();
  else refuse(socket, status);
}

/** There is no complete request, so the response is written to the socket. */
function refuse(socket: Socket, status: keyof typeof REFUSALS): void {
  const [title, detail] = REFUSALS[status];
  const body = JSON.stringify({ type: "about:blank", title, status, detail });
  const again = status === 408 || status === 429 ? "retry-after: 5\r\n" : "";
  const headers = `content-type: application/problem+json\r\ncontent-length: ${body.length}\r\n${again}connection: close`;
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${headers}\r\n\r\n${body}`);
  socket.once("error", () => undefined);
  // The rest of the request is not read; the client has a moment to read the response.
  setTimeout(() => socket.destroy(), 1_000).unref();
}
