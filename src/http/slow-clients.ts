/**
 * Time and memory limits for clients that send or read slowly or open many connections. Headers, bodies and responses
 * each have their own limit; the time between them has none, since a synchronous sync may take long. For pushed
 * bodies `pipeline/push` enforces a minimum rate.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import ipaddr from "ipaddr.js";

export type ClientLimits = {
  /** The limit from the connection, or from the first byte of the next request, to the end of its headers. */
  readonly headersMs: number;
  /** How often Node.js checks for overdue headers. */
  readonly checkMs: number;
  /** The limit for the whole body of a request, except pushes, and for the rest of a body after the response. */
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
  /** Removes the time limit for the body of this request, whose reader enforces a minimum rate. */
  readonly allowLongBody: (request: IncomingMessage) => void;
  /** The time limit of the body begins now, also after `allowLongBody`. */
  readonly limitBody: (request: IncomingMessage) => void;
  /** A response begins: the reader's limits apply from now on. `bytes` is its length; a stream has none. */
  readonly watchAnswer: (response: ServerResponse, bytes?: number) => void;
};

export function limitClients(server: Server, limits: ClientLimits): SlowClients {
  limitConnections(server, limits);
  const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const responses = new WeakMap<IncomingMessage, ServerResponse>();
  const allowLongBody = (request: IncomingMessage): void => clearTimeout(bodyTimers.get(request));
  const limitBody = (request: IncomingMessage): void => {
    const response = responses.get(request);
    if (!response || request.complete) return;
    allowLongBody(request);
    const onTimeout = (): void => void (request.complete || closeWith(request.socket, response, 408));
    bodyTimers.set(request, setTimeout(onTimeout, limits.bodyMs).unref());
  };

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    responses.set(request, response);
    limitBody(request);
    request.once("end", () => allowLongBody(request));
    request.once("close", () => allowLongBody(request));
  });

  return {
    allowLongBody,
    limitBody,
    watchAnswer: (response, bytes) => watchAnswer(response, bytes, limits),
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** The length of a response for `watchAnswer`, from its payload and its header. */
export function lengthOf(payload: unknown, header: unknown): number | undefined {
  if (header !== undefined) return Number(header);
  if (typeof payload === "string" || payload instanceof Uint8Array) return payload.length;
  return payload instanceof Readable ? undefined : 0;
}

/**
 * Node.js closes a connection that is idle for the timeout. A reader could take a byte now and then, so there is also
 * a deadline by the length of the response. The length of a stream is not known: its reader must take what is there
 * at the minimum rate, and may wait for the rest as long as the stream takes.
 */
function watchAnswer(response: ServerResponse, bytes: number | undefined, limits: ClientLimits): void {
  const { socket } = response;
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(limits.writeMs);
  if (bytes === undefined) return watchStream(response, socket, limits);
  const deadlineMs = limits.writeMs + (bytes / limits.minReadBytesPerS) * 1000;
  const timer = setTimeout(() => socket.destroy(), Math.min(deadlineMs, 2 ** 31 - 1)).unref();
  response.once("close", () => clearTimeout(timer));
}

function watchStream(response: ServerResponse, socket: Socket, limits: ClientLimits): void {
  const { writeMs, minReadBytesPerS } = limits;
  /**
   * The bytes that the system has accepted for the reader; `bytesWritten` also counts bytes that wait in our memory.
   */
  const taken = (): number => socket.bytesWritten - socket.writableLength;
  let before = taken();
  const timer = setInterval(() => {
    const isSlow = taken() - before < (minReadBytesPerS * writeMs) / 1000;
    before = taken();
    if (isSlow && socket.writableLength > 0) socket.destroy();
  }, writeMs).unref();
  response.once("close", () => clearInterval(timer));
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

/** Identifies a host: an IPv4 address, or an IPv6 /64. */
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

/** Answers a request that Node.js could not parse, which no route has seen. */
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
