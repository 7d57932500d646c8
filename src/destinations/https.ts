/**
 * Uploads files by HTTPS: each is the body of one PUT or POST, or, for the ACP Feed API, products are sent in several
 * PATCH requests that each upsert some of them. Only a 2xx answer counts. Redirects are not followed, because the
 * headers contain secrets.
 */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { DeliveredFile } from "../contract/destination-deliveries.ts";
import type { UploadAnswer, UploadHttpClient, UploadLimits } from "../lib/outbound/upload-http-client.ts";
import { redactText } from "../lib/redact.ts";
import { secretsInUrl } from "../lib/url-secrets.ts";
import { asDeliveryFailure, DeliveryFailure } from "./failure.ts";
import { type HttpsTarget, secretsInHeaders } from "./https-target.ts";
import type { UploadFile } from "./shards.ts";
import { throttle } from "./throttle.ts";

export type HttpsOptions = {
  readonly client: UploadHttpClient;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly bytesPerS: number | null;
  readonly limits?: Partial<UploadLimits> | undefined;
};

const ACP_VERSION = "2026-04-17";

export async function uploadByHttps(
  target: HttpsTarget,
  files: AsyncIterable<UploadFile> | Iterable<UploadFile>,
  options: HttpsOptions,
): Promise<readonly DeliveredFile[]> {
  const sent: DeliveredFile[] = [];
  const send = target.method === "acp" ? patchProducts : sendFile;
  for await (const file of files) {
    // The protocol's API has the metadata already.
    if (target.method === "acp" && file.name === "metadata.json") continue;
    sent.push(await send(target, file, options));
  }
  return sent;
}

async function sendFile(
  { url, method, headers }: HttpsTarget,
  { name, contentType, size, bytes }: UploadFile,
  options: HttpsOptions,
): Promise<DeliveredFile> {
  const counter = bodyCounter();
  const answer = await request(options, {
    method: method === "POST" ? "POST" : "PUT",
    url: url.replaceAll("{file}", encodeURIComponent(name)),
    headers: {
      "content-type": contentType,
      ...(size !== undefined && { "content-length": String(size) }),
      ...headers,
    },
    body: counter.count(paced(bytes, options)),
  });
  requireSuccess({ url, headers }, answer);
  return { name, ...counter.result(), remote_bytes: null };
}

const productsAddress = ({ url, feedId }: HttpsTarget): string =>
  `${url.endsWith("/") ? url.slice(0, -1) : url}/feeds/${encodeURIComponent(feedId)}/products`;

/** Each piece of the file has complete lines: up to 500 products. */
async function patchProducts(
  target: HttpsTarget,
  { name, bytes }: UploadFile,
  options: HttpsOptions,
): Promise<DeliveredFile> {
  const counter = bodyCounter();
  const address = productsAddress(target);
  for await (const lines of paced(bytes, options)) {
    counter.add(lines);
    const products = Buffer.from(lines).toString("utf8").trimEnd().replaceAll("\n", ",");
    const body = Buffer.from(`{"products":[${products}]}`);
    const answer = await request(options, {
      method: "PATCH",
      url: address,
      headers: {
        "content-type": "application/json",
        "content-length": String(body.length),
        "api-version": ACP_VERSION,
        // Requests with the same products have the same key, so the receiver recognizes a repeated request.
        "idempotency-key": createHash("sha256").update(body).digest("hex"),
        ...target.headers,
      },
      body: Readable.from([body]),
    });
    requireSuccess({ url: address, headers: target.headers }, answer);
  }
  return { name, ...counter.result(), remote_bytes: null };
}

/**
 * Asks with OPTIONS, which changes nothing at the receiver, with the headers of an upload: shows whether the connection
 * and its certificate are right and whether the login is refused. Returns the status. Many receivers do not know
 * OPTIONS, so other answers tell nothing about uploads.
 */
export async function testHttps(target: HttpsTarget, options: HttpsOptions): Promise<number> {
  const url = target.method === "acp" ? productsAddress(target) : target.url.replaceAll("{file}", "products");
  const answer = await request(options, { method: "OPTIONS", url, headers: target.headers, body: null });
  const { status, location } = answer;
  const isRedirect = status >= 300 && status < 400 && location !== null;
  if (isRedirect || status === 401 || FAULTS.includes(status))
    requireSuccess({ url, headers: target.headers }, answer);
  return status;
}

/**
 * With these statuses the receiver is broken or absent. Other statuses, such as 405 and 501, only say that the receiver
 * does not know OPTIONS.
 */
const FAULTS: readonly number[] = [500, 502, 503, 504];

type Sent = Pick<Parameters<UploadHttpClient["send"]>[0], "method" | "url" | "headers" | "body">;

async function request(
  { client, userAgent, signal, limits }: HttpsOptions,
  sent: Sent,
): Promise<UploadAnswer> {
  try {
    const headers = { "user-agent": userAgent, ...sent.headers };
    return await client.send({ ...sent, headers, signal, limits });
  } catch (error) {
    throw asDeliveryFailure(error);
  }
}

async function* paced(
  bytes: AsyncIterable<Uint8Array>,
  { bytesPerS, signal }: HttpsOptions,
): AsyncGenerator<Uint8Array> {
  const allow = throttle(bytesPerS, signal);
  for await (const piece of bytes) {
    await allow(piece.length);
    yield piece;
  }
}

function bodyCounter() {
  const hash = createHash("sha256");
  let bytes = 0;
  const add = (piece: Uint8Array) => {
    hash.update(piece);
    bytes += piece.length;
  };
  return {
    add,
    count: async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        add(piece);
        yield piece;
      }
    },
    result: () => ({ bytes, sha256: hash.digest("hex") }),
  };
}

/** Only the host is returned, because the rest of the address may contain a secret. */
function redirectHost(url: string, location: string): string {
  const target = URL.parse(location, url);
  if (target === null || target.host === "") return "an address that cannot be read";
  return target.host === URL.parse(url)?.host ? "another address of its own" : target.host;
}

/** How much of an answer is shown: it says what is wrong. */
const SHOWN_CHARS = 300;

type Called = Pick<HttpsTarget, "url" | "headers">;

function requireSuccess({ url, headers }: Called, { status, location, firstBytes }: UploadAnswer): void {
  if (status >= 200 && status < 300) return;
  const host = URL.parse(url)?.host ?? url;
  if (status < 400 && location !== null)
    throw new DeliveryFailure(
      "redirect",
      `${host} redirects (status ${status}) to ${redirectHost(url, location)}, and uploads follow no redirect. Ask its operator for the address of uploads, and save that one.`,
    );
  const said = redactText(firstBytes.toString("utf8"), {
    secrets: [...secretsInHeaders(headers), ...secretsInUrl(url)],
    label: "[secret]",
  })
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, SHOWN_CHARS);
  const answer = said === "" ? "" : ` It says: ${said}`;
  const isRefusal = status === 401 || status === 403;
  throw isRefusal
    ? new DeliveryFailure(
        "unauthorized",
        `${host} refused the upload with status ${status}. Check the headers with its operator.${answer}`,
      )
    : new DeliveryFailure(
        "http",
        `${host} answered with status ${status}; only a 2xx counts as delivered.${answer}`,
      );
}
