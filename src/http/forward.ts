/**
 * Passes a request to the process that answers heavy calls, and its answer to the caller. Both bodies are streams: a
 * caller that reads slowly slows the process down, and one that disconnects ends the call there.
 */
import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import { discardRest } from "./stream-bodies.ts";

/** The process that answers heavy calls. */
export type HeavyProcess = {
  /** Starts it if it is not running. Call `leave` when the answer has ended. */
  readonly enter: () => Promise<{ readonly socketPath: string; readonly leave: () => void }>;
};

/** Headers of one connection (RFC 9110, 7.6.1), and those that every answer of this server has anyway. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "date",
  "x-request-id",
]);

const passedOn = (headers: IncomingHttpHeaders): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OWN_HEADERS.has(name) ? [] : [[name, value]],
    ),
  );

/** Rejects only if no answer has begun. */
export async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  process: HeavyProcess,
): Promise<void> {
  const { raw } = request;
  const isStreamed = request.routeOptions.config.streamedBody != null;
  // The limits of the other process apply to a streamed body.
  if (isStreamed) request.allowLongBody();
  const small = isStreamed ? undefined : await smallBody(raw, request.routeOptions.bodyLimit ?? 0);
  const { socketPath, leave } = await process.enter();
  // After a response has closed, the event does not come again.
  if (reply.raw.closed) return leave();
  reply.raw.once("close", leave);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const passed = httpRequest({
      socketPath,
      agent: false,
      method: request.method,
      path: raw.url,
      headers: { ...passedOn(raw.headers), "x-request-id": request.id },
    });
    reply.raw.once("close", () => passed.destroy());
    passed.once("response", (response) => {
      // The process does not want the rest of the body, which stream-bodies.ts discards.
      raw.unpipe(passed);
      resolve(response);
    });
    // After the answer has begun, an error belongs to the answer's stream.
    passed.on("error", (error) => reject(interrupted(error)));
    if (small) passed.end(small);
    else raw.pipe(passed);
  });
  reply.code(answer.statusCode ?? 502).headers(passedOn(answer.headers));
  // The result is not awaited, because the reply is sent only when it has been read to its end.
  void reply.send(answer);
}

/** A body that is not a stream is read first: the other process closes the connection if it is too large. */
async function smallBody(raw: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) {
      discardRest(raw);
      throw new AppError("body_too_large", "The request body is too large.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const interrupted = (cause: unknown): AppError =>
  new AppError(
    "worker_unavailable",
    "The process that answers this call stopped before it had answered. It is being started again; make the call again in a moment.",
    { cause, retryAfterS: 2 },
  );
