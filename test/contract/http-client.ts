/**
 * One HTTP exchange, with exactly the headers and the body that the caller gives: `fetch` adds a content type of its
 * own.
 */
import { once } from "node:events";
import { Agent, request as requestHttp } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as requestHttps } from "node:https";
import { text as readText } from "node:stream/consumers";

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

export type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** No call of the contract takes longer. A service that never answers fails the check instead of blocking the run. */
const CALL_LIMIT_MS = 60_000;

const httpAgent = new Agent({ keepAlive: true });
const httpsAgent = new TlsAgent({ keepAlive: true });

export async function send(
  url: string,
  { method = "GET", headers = {}, body = "" }: Call = {},
): Promise<Answer> {
  const isTls = url.startsWith("https:");
  const hasBody = body !== "" || method === "POST" || method === "DELETE";
  const request = (isTls ? requestHttps : requestHttp)(url, {
    method,
    agent: isTls ? httpsAgent : httpAgent,
    headers: { ...headers, ...(hasBody && { "content-length": String(Buffer.byteLength(body)) }) },
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  });
  request.end(body);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await readText(answer) };
}

export function closeConnections(): void {
  httpAgent.destroy();
  httpsAgent.destroy();
}
