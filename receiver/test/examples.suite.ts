/** The examples are run as they are, on the built package, with valid, repeated, forged and late deliveries. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { sign, signStandard } from "../src/sign.ts";
import { installed } from "./installed.ts";

const SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const AUDIT = JSON.stringify({
  event: "audit.completed",
  created_at: "2026-01-01T00:00:00.000Z",
  data: { run_id: "r", catalog_score: 91, grade: "A", previous_score: null, items: 48 },
});
const SYNC = JSON.stringify({
  event: "sync.completed",
  created_at: "2026-01-01T00:00:00.000Z",
  data: { run_id: "r", source_id: null, status: "succeeded", stats: { upserted: 3, rejected: 1 } },
});
const NEWER = JSON.stringify({ event: "sale.started", created_at: "2026-01-01T00:00:00.000Z", data: {} });

type Receiver = AsyncDisposable & {
  readonly url: string;
  /** The next line the program prints about its work. */
  readonly nextLine: () => Promise<string>;
};

await cp(join(import.meta.dirname, "..", "examples"), join(installed.folder, "examples"), {
  recursive: true,
});

/** The program in a process of its own, as a user would start it. */
async function startProgram(file: string): Promise<Receiver> {
  const child = spawn(process.execPath, [join(installed.folder, "examples", file)], {
    env: { SHELFWIRE_WEBHOOK_SECRET: SECRET, PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${file} has ended`);
    return value;
  };
  const port = /^listening on port (\d+)$/.exec(await nextLine())?.[1];
  return {
    url: `http://127.0.0.1:${port}/webhooks/shelfwire`,
    nextLine,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

type FetchHandler = { fetch(request: Request, env: object, context: object): Promise<Response> };

/** The handler behind a loopback server that turns Node's requests into `Request`s, as a runtime of its kind does. */
async function startHandler(t: TestContext): Promise<Receiver> {
  const path = join(installed.folder, "examples", "fetch-handler.mjs");
  const { default: handler } = (await import(pathToFileURL(path).href)) as { default: FetchHandler };
  const printed: string[] = [];
  t.mock.method(console, "log", (line: string) => printed.push(line));
  t.mock.method(console, "error", () => undefined);

  const seen = new Map<string, string>();
  const store = {
    get: async (key: string) => seen.get(key) ?? null,
    put: async (key: string, value: string) => void seen.set(key, value),
  };
  const env = { SHELFWIRE_WEBHOOK_SECRET: SECRET, SEEN: store };
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = Buffer.concat(await incoming.toArray());
      const request = new Request("http://receiver.test/", {
        method: "POST",
        headers: incoming.headers as Record<string, string>,
        body,
      });
      const answer = await handler.fetch(request, env, { waitUntil: () => undefined });
      outgoing.writeHead(answer.status).end(await answer.text());
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    // Its work is done before the answer is sent, so the line is there.
    nextLine: async () => printed.shift() ?? "nothing was printed",
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function send(
  url: string,
  body: string,
  { id, signature = sign(body, SECRET) }: { id: string; signature?: string | null },
): Promise<string> {
  const headers = new Headers({ "content-type": "application/json", ...signStandard(body, SECRET, { id }) });
  if (signature !== null) headers.set("x-service-signature", signature);
  const answer = await fetch(url, { method: "POST", headers, body });
  return `${answer.status} ${await answer.text()}`.trim();
}

for (const example of ["express.mjs", "fastify.mjs", "fetch-handler.mjs"]) {
  test(`${example} accepts a valid delivery once, and refuses the rest`, async (t) => {
    await using receiver =
      example === "fetch-handler.mjs" ? await startHandler(t) : await startProgram(example);
    const { url, nextLine } = receiver;

    // A delivery whose answer was lost comes again, with the same id and a new time.
    assert.equal(await send(url, AUDIT, { id: "1" }), "204");
    assert.equal(await nextLine(), "audited: 91, grade A");
    assert.equal(await send(url, AUDIT, { id: "1" }), "204");
    // If the second one had been processed, its line would come before this one.
    assert.equal(await send(url, SYNC, { id: "2", signature: sign(SYNC, ["whsec_old", SECRET]) }), "204");
    assert.equal(await nextLine(), "synced: 3 items changed, 1 rejected");

    const forged = AUDIT.replace("91", "99");
    assert.equal(
      await send(url, forged, { id: "3", signature: sign(AUDIT, SECRET) }),
      "400 signature_mismatch",
    );
    assert.equal(await send(url, AUDIT, { id: "3", signature: null }), "400 no_signature");
    assert.equal(await send(url, AUDIT, { id: "3", signature: "t=1,v1=1" }), "400 malformed_header");
    assert.equal(await send(url, "", { id: "3", signature: sign(AUDIT, SECRET) }), "400 signature_mismatch");
    assert.equal(await send(url, "{", { id: "3" }), "400 malformed_body");
    const late = sign(AUDIT, SECRET, { now: new Date(Date.now() - 400_000) });
    assert.equal(await send(url, AUDIT, { id: "3", signature: late }), "400 timestamp_out_of_tolerance");

    // None of those was worked on, and the id they used is still free.
    assert.equal(await send(url, NEWER, { id: "3" }), "204");
    assert.equal(await nextLine(), "nothing to do for sale.started");
  });
}
