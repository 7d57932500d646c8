/** docs/api.md: it has every call of the OpenAPI document, and its examples work. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createKey } from "../../src/setup/keys.ts";
import { closeAfterTests } from "../close-after.ts";
import { feedHost } from "../fakes/feed-host.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import { isLong } from "../long.ts";

const api = closeAfterTests(await runningApi());
const page = await readFile(join(import.meta.dirname, "../../docs/api.md"), "utf8");

test("docs/api.md names every call of the OpenAPI document, and no other", async () => {
  const document = (await api.ask("/api/v1/openapi.json")).json as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("/api/v1", "")}`),
  );
  const named = page
    .matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}.-]*)/g)
    .map(([, method, path]) => `${method} ${path}`);

  // These two describe the API itself.
  const described = ["GET /api/v1/openapi.json", "GET /api/v1"];
  assert.deepEqual([...new Set(named)].filter((call) => !described.includes(call)).sort(), calls.sort());
});

const examples = page
  .matchAll(/```sh\n([\s\S]*?)```/g)
  .map(([, script = ""]) => script)
  .toArray();

const CURL_TIMED_OUT = 28;

for (const script of isLong ? examples : [])
  test(`an example works: ${script.trim().split("\n").at(-1)?.trim()}`, async () => {
    await using host = await feedHost();
    const shop = await api.openShop(mugs(3));
    assert.equal((await shop.sync()).status, 200);
    const admin = { catalogId: shop.id, name: "admin", scopes: ["admin"], expiresAt: null };
    const { key: ADMIN_KEY } = await createKey(api.db, admin);
    const FEED_URL = host.serve("/feed.csv", { kind: "file", body: csv([{ id: "other" }]) });
    const env = {
      ...process.env,
      API: `${api.url}/api/v1`,
      KEY: shop.key,
      SOURCE: shop.sourceId,
      ADMIN_KEY,
      FEED_URL,
    };
    // The stream of events has no end: one second of it is enough.
    const isStream = script.includes("/events");
    const limits = isStream ? "--max-time 1" : "--fail-with-body --max-time 20";
    const body = script.replace(/^API=.*$/m, "").replaceAll("curl ", `curl ${limits} `);

    const { code, stdout } = await promisify(execFile)("sh", ["-c", body], { env }).then(
      ({ stdout: text }) => ({ code: 0, stdout: text }),
      (error: { readonly code?: unknown; readonly stdout: string }) => error,
    );

    assert.equal(code, isStream ? CURL_TIMED_OUT : 0, stdout);
    if (isStream) assert.match(stdout, /^event: open$/m);
    else assert.ok("data" in (JSON.parse(stdout) as object), stdout);
  });
