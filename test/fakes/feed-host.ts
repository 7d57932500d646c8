/**
 * A loopback web server that serves feeds in every way a shop does, also the hostile ones. A test sets what each
 * path does; the host counts requests and keeps their headers, so that a test can check what was sent.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";

export type Page =
  /** Answers with a body and its ETag; answers 304 to a request that has the ETag. */
  | {
      readonly kind: "file";
      readonly body: string | Uint8Array;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly etag?: string;
      readonly lastModified?: string;
      /** Only for this user and password. */
      readonly basic?: string;
    }
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number }
  /** Announces more than it sends, then closes the connection. */
  | { readonly kind: "cut"; readonly body: string | Uint8Array; readonly announced: number }
  /** Sends the chunk again and again until the client disconnects. */
  | {
      readonly kind: "endless";
      readonly piece: string | Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Accepts the request and never answers. */
  | { readonly kind: "silent" }
  /** Sends the headers and the chunk, and then nothing more. */
  | { readonly kind: "stalled"; readonly piece: string | Uint8Array };

export type SeenRequest = { readonly path: string; readonly headers: IncomingHttpHeaders };

export type FeedHost = {
  readonly url: (path: string) => string;
  /** A page, or pages for one request after the other, the last of them for all that follow. */
  readonly serve: (path: string, ...pages: readonly Page[]) => string;
  readonly requests: SeenRequest[];
  /** Bytes written to connections so far, to measure an endless answer. */
  readonly sentBytes: () => number;
  /** How many answers are being sent. */
  readonly busyConnections: () => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function feedHost(): Promise<FeedHost> {
  const pages = new Map<string, Page[]>();
  const requests: SeenRequest[] = [];
  const stop = new AbortController();
  let sent = 0;
  let busy = 0;

  const exchange: Exchange = { count: (bytes) => (sent += bytes), stopped: stop.signal };

  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push({ path, headers: request.headers });
    const queue = pages.get(path) ?? [];
    const page = queue.length > 1 ? queue.shift() : queue[0];
    response.on("error", () => undefined);
    busy += 1;
    response.on("close", () => {
      busy -= 1;
    });
    if (page === undefined) response.writeHead(404).end();
    else void answer(page, request.headers, response, exchange);
  });
  const { origin, close } = await serving(server);
  const url = (path: string): string => `${origin}${path}`;

  return {
    url,
    requests,
    serve: (path, ...served) => {
      pages.set(path, [...served]);
      return url(path);
    },
    sentBytes: () => sent,
    busyConnections: () => Promise.resolve(busy),
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return close();
    },
  };
}

type Exchange = { readonly count: (bytes: number) => void; readonly stopped: AbortSignal };

async function answer(
  page: Page,
  asked: IncomingHttpHeaders,
  response: ServerResponse,
  { count, stopped }: Exchange,
): Promise<void> {
  switch (page.kind) {
    case "file":
      sendFile(page, asked, response, count);
      return;
    case "redirect":
      response.writeHead(page.status ?? 302, { location: page.to }).end();
      return;
    case "cut":
      response.writeHead(200, { "content-length": page.announced });
      response.write(page.body, () => response.destroy());
      return;
    case "endless":
      response.writeHead(200, page.headers ?? {});
      while (!response.destroyed && !stopped.aborted) {
        count(Buffer.byteLength(page.piece));
        if (!response.write(page.piece)) await drained(response);
      }
      return;
    case "silent":
      return;
    case "stalled":
      response.writeHead(200);
      response.write(page.piece);
      return;
    default:
      page satisfies never;
  }
}

function sendFile(
  page: Extract<Page, { kind: "file" }>,
  asked: IncomingHttpHeaders,
  response: ServerResponse,
  count: (bytes: number) => void,
): void {
  const marks = {
    ...(page.etag === undefined ? {} : { etag: page.etag }),
    ...(page.lastModified === undefined ? {} : { "last-modified": page.lastModified }),
  };
  if (
    page.basic !== undefined &&
    asked.authorization !== `Basic ${Buffer.from(page.basic).toString("base64")}`
  ) {
    response.writeHead(401, { "www-authenticate": "Basic" }).end();
    return;
  }
  const isKnown =
    (page.etag !== undefined && asked["if-none-match"] === page.etag) ||
    (page.etag === undefined &&
      page.lastModified !== undefined &&
      asked["if-modified-since"] === page.lastModified);
  if (isKnown) {
    response.writeHead(304, marks).end();
    return;
  }
  count(Buffer.byteLength(page.body));
  response.writeHead(page.status ?? 200, {
    "content-length": Buffer.byteLength(page.body),
    ...marks,
    ...page.headers,
  });
  response.end(page.body);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}
