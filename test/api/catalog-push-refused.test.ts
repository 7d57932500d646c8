/** Refused pushes of a blocking client, which sends the whole body before it reads the answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import type { ErrorCode } from "../../src/errors.ts";
import type { Disposable } from "../fresh.ts";
import { assertProblem } from "./problem.ts";
import { runningApi } from "./running-api.ts";
import type { RunningApi, Shop } from "./running-api.ts";

let api: Disposable<RunningApi>;
let shop: Shop;
before(async () => {
  api = await runningApi({ hasWorker: false });
  shop = await api.openShop();
});
after(() => api[Symbol.asyncDispose]());

/** Sends everything, then reads until the other side closes. */
async function sendThenRead(headers: Readonly<Record<string, string>>, body: Buffer): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  await once(socket, "connect");
  const lines = Object.entries({ host: "x", connection: "close", "content-length": body.length, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const sent = Promise.withResolvers<null>();
  socket.once("error", sent.reject);
  socket.write(`PUT /api/v1/catalog HTTP/1.1\r\n${head}\r\n`);
  socket.write(body, () => sent.resolve(null));
  await sent.promise;
  return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
}

const BODY = Buffer.alloc(33_000_000, "x");

/** What is wrong, the headers that make it so, and the answer. */
const REFUSED: readonly (readonly [string, () => Readonly<Record<string, string>>, number, ErrorCode])[] = [
  ["no key", () => ({ authorization: "Bearer sw_nobody" }), 401, "unauthorized"],
  [
    "a key with the scope read",
    () => ({ authorization: `Bearer ${shop.readKey}` }),
    403,
    "insufficient_scope",
  ],
  ["another type", () => ({ "content-type": "application/pdf" }), 415, "unsupported_media_type"],
  ["an unknown content coding", () => ({ "content-encoding": "br" }), 415, "unsupported_media_type"],
  ["an endless line", () => ({ "content-type": "application/x-ndjson" }), 413, "body_too_large"],
  [
    "a body that is not compressed as declared",
    () => ({ "content-encoding": "gzip" }),
    400,
    "body_malformed",
  ],
];

for (const [what, headers, status, code] of REFUSED) {
  test(`33 MB from or with ${what} are answered with ${status}, not with a broken pipe`, async () => {
    const usual = { authorization: `Bearer ${shop.key}`, "content-type": "application/json" };
    const answer = await sendThenRead({ ...usual, ...headers() }, BODY);

    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.ok(answer.includes(`"code":"${code}"`), answer);
  });
}

test("an unsupported type is refused with the list of supported types, with and without a body", async () => {
  for (const body of ["id,title", ""]) {
    const answer = await shop.call("/api/v1/catalog", {
      method: "PUT",
      headers: { "content-type": "application/pdf" },
      body,
    });

    const { detail } = assertProblem(answer, 415, "unsupported_media_type");
    assert.match(
      detail,
      /JSON \(Content-Type: application\/json\).*JSON Lines \(application\/x-ndjson, .*file \(text\/csv, /,
    );
  }
});

test("a push on a full disk is answered with 503 and the reason, and works once there is space", async () => {
  const full = {
    text: `create function no_space() returns trigger language plpgsql as
           $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    values: [],
  };
  await api.db.execute(full);
  const put = async (description: string) =>
    shop.call("/api/v1/catalog", {
      method: "PUT",
      headers: { prefer: "respond-async" },
      body: { products: [{ id: "p", title: "P", link: "https://a.example/", price: "1 USD", description }] },
    });
  // A large body is stored in chunks.
  for (const [table, description] of [
    ["push_chunks", "x".repeat(100_000)],
    ["pushes", "x"],
  ] as const) {
    await api.db.execute({
      text: `create trigger no_space before insert on ${table} execute function no_space()`,
      values: [],
    });

    const answer = await put(description);

    const { detail } = assertProblem(answer, 503, "disk_full");
    assert.match(detail, /space/);
    assert.equal(answer.headers["retry-after"], "60");
    await api.db.execute({ text: `drop trigger no_space on ${table}`, values: [] });
  }
  assert.equal((await put("x")).status, 202);
});
