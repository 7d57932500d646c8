/**
 * A shop with one feed, a CSV file on a loopback server. A test changes its products, breaks the shop, or
 * pauses it in the middle of an answer, so that a test waits for a known point and never for the clock.
 */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";

export type Row = Readonly<Record<string, string>>;

/** A row that is valid in every feed. */
export function article(id: string, more: Row = {}): Row {
  return {
    id,
    title: `Article ${id}`,
    description: `What there is to say about article ${id}.`,
    link: `https://shop.example/p/${id}`,
    image_link: `https://shop.example/i/${id}.jpg`,
    price: "10.00 USD",
    availability: "in_stock",
    brand: "Acme",
    condition: "new",
    ...more,
  };
}

export const articles = (count: number, more: Row = {}): Row[] =>
  Array.from({ length: count }, (_, i) => article(`a${i + 1}`, more));

const COLUMNS = ["id", "title", "link", "price", "availability"];

export function csvOf(rows: readonly Row[]): string {
  const columns = [...new Set([...COLUMNS, ...rows.flatMap((row) => Object.keys(row))])];
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map((row) => columns.map((column) => quoted(row[column] ?? "")).join(","));
  return [columns.join(","), ...lines, ""].join("\n");
}

/** The validators that the shop sends, and answers with 304. */
export type Marks = { readonly etag?: string; readonly lastModified?: string };

/** An answer that pauses in the middle. */
export type Hold = { readonly reached: Promise<void>; readonly release: () => void };

export type Shop = AsyncDisposable & {
  readonly url: string;
  readonly stock: (rows: readonly Row[], marks?: Marks) => void;
  readonly breakDown: (status: number) => void;
  /** The next answer sends half of its body and waits to be released. */
  readonly holdNext: () => Hold;
  /** The statuses it answered with, in order. */
  readonly answers: readonly number[];
};

type State = { body: Buffer; marks: Marks; status: number };
type Holding = { readonly reach: () => void; readonly released: Promise<void> };

export async function openShop(): Promise<Shop> {
  const state: State = { body: Buffer.from(csvOf([])), marks: {}, status: 200 };
  const holds: Holding[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    void answer({ ...state, status: statusFor(state, request.headers) }, response, holds.shift());
    answers.push(response.statusCode);
  });
  const { origin, close } = await serving(server);

  return {
    url: `${origin}/feed.csv`,
    answers,
    stock: (rows, marks = {}) => Object.assign(state, { body: Buffer.from(csvOf(rows)), marks, status: 200 }),
    breakDown: (status) => Object.assign(state, { status }),
    holdNext: () => {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      holds.push({ reach: reached.resolve, released: released.promise });
      return { reached: reached.promise, release: released.resolve };
    },
    [Symbol.asyncDispose]: close,
  };
}

function statusFor({ status, marks }: State, asked: IncomingHttpHeaders): number {
  const isKnown =
    (marks.etag !== undefined && asked["if-none-match"] === marks.etag) ||
    (marks.lastModified !== undefined && asked["if-modified-since"] === marks.lastModified);
  return status === 200 && isKnown ? 304 : status;
}

async function answer(
  { body, marks, status }: State,
  response: ServerResponse,
  hold?: Holding,
): Promise<void> {
  const { etag, lastModified } = marks;
  response.writeHead(status, {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { "last-modified": lastModified }),
    ...(status === 200 && { "content-length": body.length, "content-type": "text/csv; charset=utf-8" }),
  });
  if (hold) {
    // A 304 has no body to send half of: it is paused before its first byte.
    if (status === 200) response.write(body.subarray(0, body.length / 2));
    hold.reach();
    await hold.released;
  }
  response.end(status === 200 ? body.subarray(hold ? body.length / 2 : 0) : undefined);
}
