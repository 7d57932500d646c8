/** Destinations over the API, with OpenSSH's own server and a real HTTP receiver. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { Value } from "typebox/value";
import { AcpUpsert } from "../../src/destinations/acp-feed.fixture.ts";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";
import type { DestinationDelivery } from "../../src/contract/destination-deliveries.ts";
import type { Destination, DestinationTest } from "../../src/contract/destinations.ts";
import { notify } from "../../src/store/notices.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { NO_SSHD, type Sshd, startSshd } from "../sshd.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { type Answer, runningApi, type Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const server = NO_SSHD ? undefined : await startSshd();
after(async () => server?.[Symbol.asyncDispose]());
const sshd = (): Sshd => server ?? assert.fail("no server");
const skip = NO_SSHD;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the caller expects of the JSON
const dataOf = <T>(answer: Answer, status = 200): T => {
  assert.equal(answer.status, status, answer.text);
  return (answer.json as { data: T }).data;
};
const send = async (
  shop: Shop,
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body: object,
): Promise<Answer> => shop.call(`/api/v1/destinations${path}`, { method, body });
const list = async (shop: Shop): Promise<Destination[]> =>
  dataOf<{ destinations: Destination[] }>(await shop.call("/api/v1/destinations")).destinations;
const deliveries = async (shop: Shop): Promise<DestinationDelivery[]> =>
  dataOf<{ deliveries: DestinationDelivery[] }>(await shop.call("/api/v1/destinations/deliveries"))
    .deliveries;

function sftpSettings(folder = ""): Record<string, string> {
  const { port, user, privateKey } = sshd();
  return {
    host: "127.0.0.1",
    port: String(port),
    user,
    private_key: privateKey,
    path: folder === "" ? sshd().folder : join(sshd().folder, folder),
  };
}

async function newestEnds(shop: Shop): Promise<DestinationDelivery> {
  return until(async () => {
    const [newest] = await deliveries(shop);
    return newest !== undefined && newest.finished_at !== null ? newest : undefined;
  }, "the newest delivery to end");
}

describe("an SFTP destination", { skip }, () => {
  test("gets the files after a publication, once its host key is confirmed", async () => {
    const shop = await api.openShop(mugs(3));
    const made = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "sftp", settings: sftpSettings() }),
      201,
    );
    assert.deepEqual([made.status, made.secrets_set, made.format], ["new", ["private_key"], "acp.csv.gz"]);
    assert.equal(made.delivered_run_id, null);
    assert.ok(!JSON.stringify(made).includes("PRIVATE KEY"));

    const unconfirmed = dataOf<DestinationTest>(await send(shop, "POST", "/test", { id: made.id }));
    assert.equal(unconfirmed.error?.code, "host_key_unconfirmed");
    assert.deepEqual(unconfirmed.host_key, { value: sshd().hostKey, confirmed: false });

    const settings = { host_key: unconfirmed.host_key?.value };
    dataOf(await send(shop, "PATCH", "", { id: made.id, settings }));
    const tested = dataOf<DestinationTest>(await send(shop, "POST", "/test", { id: made.id }));
    assert.deepEqual([tested.ok, tested.host_key?.confirmed], [true, true]);

    dataOf(await shop.sync());
    const receipt = await newestEnds(shop);

    assert.equal(receipt.state, "delivered", JSON.stringify(receipt.error));
    const [file] = receipt.files ?? [];
    const bytes = readFileSync(join(sshd().folder, "products-0001.csv.gz"));
    assert.deepEqual(
      [file?.name, file?.bytes, file?.remote_bytes, receipt.bytes],
      ["products-0001.csv.gz", bytes.length, bytes.length, bytes.length],
    );
    assert.equal(parse(gunzipSync(bytes), { columns: true }).length, 3);
    const feeds = dataOf<{ last_render: { run_id: string } }>(await shop.call("/api/v1/feeds"));
    assert.equal(receipt.render_run_id, feeds.last_render.run_id);
    assert.deepEqual([receipt.cause, receipt.replaced_by, receipt.attempts], ["publication", "atomic", 1]);
    const [now] = await list(shop);
    assert.deepEqual([now?.status, now?.delivered_run_id], ["active", receipt.render_run_id]);
  });

  test("does not get the same file twice, unless it is asked for", async () => {
    const shop = await api.openShop(mugs(2));
    const settings = { ...sftpSettings(), host_key: sshd().hostKey };
    const { id } = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "sftp", settings, file_name: "twice", format: "acp.jsonl.gz" }),
      201,
    );
    dataOf(await shop.sync());
    await newestEnds(shop);
    dataOf(await shop.call("/api/v1/feeds", { method: "POST" }));
    assert.equal((await deliveries(shop)).length, 1);

    const queued = dataOf<DestinationDelivery>(await send(shop, "POST", "/send", { id }), 202);
    assert.deepEqual([queued.cause, queued.state], ["request", "pending"]);
    const receipt = await newestEnds(shop);

    assert.deepEqual([receipt.id, receipt.state], [queued.id, "delivered"]);
    const lines = gunzipSync(readFileSync(join(sshd().folder, "twice-0001.jsonl.gz")))
      .toString()
      .trimEnd()
      .split("\n");
    assert.equal(lines.length, 2);
    assert.ok(lines.every((line) => "item_id" in (JSON.parse(line) as object)));
  });

  test("that fails says why, is tried again in a minute, and is shown as failing", async () => {
    const shop = await api.openShop(mugs(1));
    const settings = { ...sftpSettings("missing"), host_key: sshd().hostKey };
    dataOf(await send(shop, "POST", "", { kind: "sftp", settings }), 201);
    const began = Date.now();
    dataOf(await shop.sync());

    const waiting = await until(
      async () => (await deliveries(shop)).find(({ error }) => error !== null),
      "a failure",
    );

    assert.deepEqual(
      [waiting.state, waiting.attempts, waiting.error?.code],
      ["pending", 1, "folder_missing"],
    );
    const waits = new Date(waiting.next_attempt_at ?? 0).getTime() - began;
    assert.ok(waits > 55_000 && waits < 75_000, `${waits} ms`);
    const [now] = await list(shop);
    assert.deepEqual([now?.status, now?.last_error?.code], ["failing", "folder_missing"]);
    // A newer publication takes its place, and its turn.
    shop.sells(mugs(2));
    dataOf(await shop.sync());
    const [newer, older] = await deliveries(shop);
    assert.deepEqual([newer?.state, older?.state], ["pending", "superseded"]);
    assert.equal(newer?.next_attempt_at, waiting.next_attempt_at);
    // With the right folder it does not wait any longer.
    dataOf(await send(shop, "PATCH", "", { id: now?.id, settings: { path: sshd().folder } }));
    assert.deepEqual(
      [(await newestEnds(shop)).state, (await list(shop))[0]?.status],
      ["delivered", "active"],
    );
  });

  test("whose server is killed in the middle keeps the earlier file, and gets the new one later", async () => {
    await using dying = await startSshd();
    const { port, user, privateKey, hostKey, folder } = dying;
    const shop = await api.openShop(mugs(1));
    const login = { host: "127.0.0.1", port: String(port), user, private_key: privateKey };
    const settings = { ...login, host_key: hostKey, path: folder };
    const { id } = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "sftp", settings, format: "acp.csv", vanished_days: 0 }),
      201,
    );
    dataOf(await shop.sync());
    await newestEnds(shop);
    const path = join(folder, "products-0001.csv");
    const before = readFileSync(path, "utf8");
    dataOf(await send(shop, "PATCH", "", { id, max_bytes_per_s: 20_000 }));

    shop.sells(mugs(500));
    dataOf(await shop.sync());
    await until(async () => existsSync(join(folder, ".products-0001.csv.part")), "the upload to begin");
    await dying.kill();
    const failed = await until(
      async () => (await deliveries(shop)).find(({ error }) => error !== null),
      "a failure",
    );

    assert.deepEqual([failed.state, failed.error?.code], ["pending", "interrupted"]);
    assert.equal(readFileSync(path, "utf8"), before);
    await dying.restart();
    dataOf(await send(shop, "PATCH", "", { id, max_bytes_per_s: null }));
    dataOf(await send(shop, "POST", "/send", { id }), 202);
    const receipt = await newestEnds(shop);
    assert.deepEqual([receipt.state, receipt.removed], ["delivered", [".products-0001.csv.part"]]);
    assert.equal(parse(readFileSync(path)).length, 501);
    assert.deepEqual(readdirSync(folder), ["products-0001.csv"]);
  });

  test("is refused with every mistake named", async () => {
    const shop = await api.openShop(mugs(1));
    const wrong = await send(shop, "POST", "", {
      kind: "sftp",
      settings: { host: "127.0.0.1", port: "0", private_key: "x", host_key: "y", color: "red" },
    });
    const { errors } = assertProblem(wrong, 422, "destination_settings_invalid");
    assert.deepEqual(errors?.map(({ pointer }) => pointer).toSorted(), [
      "/settings/color",
      "/settings/host_key",
      "/settings/port",
      "/settings/private_key",
      "/settings/user",
    ]);
    const inner = await send(shop, "POST", "", {
      kind: "sftp",
      settings: { ...sftpSettings(), host: "10.0.0.1" },
    });
    assertProblem(inner, 422, "target_forbidden");
    const early = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "sftp", settings: sftpSettings() }),
      201,
    );
    assertProblem(await send(shop, "POST", "/send", { id: early.id }), 409, "nothing_to_deliver");
    const zone = await send(shop, "PATCH", "", { id: early.id, time_zone: "Mars/Base" });
    assertProblem(zone, 400, "invalid_request");
  });

  test("keeps its secrets for its host, and one catalog does not see another's", async () => {
    const shop = await api.openShop(mugs(1));
    const other = await api.openShop(mugs(1));
    const { id } = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "sftp", settings: sftpSettings() }),
      201,
    );

    const moved = await send(shop, "PATCH", "", { id, settings: { host: "sftp.example" } });
    const { errors } = assertProblem(moved, 422, "destination_settings_invalid");
    assert.deepEqual(
      errors?.map(({ pointer }) => pointer),
      ["/settings/private_key"],
    );

    for (const [method, path] of [
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["POST", "/send"],
    ] as const)
      assertProblem(await send(other, method, path, { id }), 404, "not_found");
    assert.deepEqual(await list(other), []);
    dataOf(await send(shop, "DELETE", "", { id }));
    assert.deepEqual(await list(shop), []);
  });

  test("gets rows that are gone for some days, as out of stock, until they return", async () => {
    const shop = await api.openShop(mugs(3));
    const settings = { ...sftpSettings(), host_key: sshd().hostKey };
    const gone = { file_name: "gone", format: "acp.csv" };
    dataOf(await send(shop, "POST", "", { kind: "sftp", settings, ...gone }), 201);
    const deliver = async (rows: number) => {
      shop.sells(mugs(rows));
      const { length } = await deliveries(shop);
      dataOf(await shop.sync());
      const receipt = await until(async () => {
        const all = await deliveries(shop);
        return all.length > length && all[0]?.state === "delivered" && all[0];
      }, "a delivery");
      const table = parse(readFileSync(join(sshd().folder, "gone-0001.csv")), { columns: true }) as Row[];
      return {
        vanished: receipt.vanished,
        rows: table.map((row) => [row.availability, row.is_eligible_search].join()),
      };
    };
    const live = "in_stock,true";
    const dead = "out_of_stock,false";

    assert.deepEqual(await deliver(3), { vanished: 0, rows: [live, live, live] });
    assert.deepEqual(await deliver(2), { vanished: 1, rows: [live, live, dead] });
    assert.deepEqual(await deliver(4), { vanished: 0, rows: [live, live, live, live] });
    assert.deepEqual(await deliver(3), { vanished: 1, rows: [live, live, live, dead] });
    await api.db.execute({
      text: "update destination_vanished set since = now() - interval '15 days'",
      values: [],
    });
    assert.deepEqual(await deliver(2), { vanished: 1, rows: [live, live, dead] });
  });

  test("with a daily schedule is due at its time, also in another time zone", async () => {
    const shop = await api.openShop(mugs(1));
    const settings = { ...sftpSettings(), host_key: sshd().hostKey };
    const daily = { schedule: "daily", daily_at: "03:30", time_zone: "Asia/Tokyo", file_name: "daily" };
    const { id, next_delivery_at: next } = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "sftp", settings, ...daily }),
      201,
    );
    assert.match(next ?? "", /T18:30:00\.000Z$/);
    dataOf(await shop.sync());
    assert.deepEqual(await deliveries(shop), []);

    await api.db.execute({
      text: "update destinations set next_daily_at = now() where id = $1",
      values: [id],
    });
    // It would be found without the notice, some seconds later.
    await notify(api.db, { about: "uploads" });
    const receipt = await until(
      async () => (await deliveries(shop)).find(({ state }) => state === "delivered"),
      "the daily delivery",
    );

    assert.equal(receipt.cause, "daily");
    assert.deepEqual(
      readdirSync(sshd().folder).filter((name) => name.startsWith("daily")),
      ["daily-0001.csv.gz"],
    );
    const [now] = await list(shop);
    assert.equal(now?.next_delivery_at, next);
  });
});

type Row = { readonly availability: string; readonly is_eligible_search: string };
type Received = {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

async function receiver(status = 200) {
  const received: Received[] = [];
  const opened = await serving(
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method, url, headers } = request;
        received.push({ method, url, headers, body: Buffer.concat(chunks) });
        response.writeHead(status, status === 302 ? { location: "/else" } : {}).end("thank you");
      });
    }),
  );
  return { ...opened, received };
}

describe("an HTTPS destination", () => {
  test("gets one file by PUT, with the configured headers", async () => {
    await using to = await receiver();
    const shop = await api.openShop(mugs(3));
    const settings = {
      url: `${to.origin}/in/{file}?x=1`,
      headers: "Authorization: Bearer s3cret\nX-Shop: a",
    };
    const made = dataOf<Destination>(
      await send(shop, "POST", "", { kind: "https", settings, format: "gmc.tsv", file_name: "google" }),
      201,
    );
    assert.deepEqual([made.secrets_set, made.shards], [["headers"], false]);
    dataOf(await shop.sync());

    const receipt = await newestEnds(shop);

    assert.equal(receipt.state, "delivered", JSON.stringify(receipt.error));
    const [request] = to.received;
    assert.deepEqual([request?.method, request?.url], ["PUT", "/in/google.tsv?x=1"]);
    assert.equal(request?.headers.authorization, "Bearer s3cret");
    assert.equal(request?.headers["x-shop"], "a");
    assert.match(request?.body.toString() ?? "", /^id\ttitle/);
    assert.equal(receipt.bytes, request?.body.length);
    // The path may contain a secret.
    assert.deepEqual([receipt.sent_to, receipt.files?.[0]?.remote_bytes], [to.origin, null]);
  });

  test("is tested by asking with OPTIONS, which uploads nothing", async () => {
    const shop = await api.openShop(mugs(1));
    const results: unknown[] = [];
    for (const status of [204, 405, 403, 401, 302, 503]) {
      await using to = await receiver(status);
      const settings = { url: `${to.origin}/in/{file}`, headers: "Authorization: Bearer s3cret" };
      const { ok, note, error } = dataOf<DestinationTest>(
        await send(shop, "POST", "/test", { kind: "https", settings }),
      );
      const [request] = to.received;
      assert.deepEqual(
        [request?.method, request?.url, request?.headers.authorization, request?.body.length],
        ["OPTIONS", "/in/products", "Bearer s3cret", 0],
      );
      assert.equal(to.received.length, 1);
      assert.equal(note === null, !ok);
      results.push([status, error?.code ?? ok]);
    }
    const gone = { kind: "https", settings: { url: "https://127.0.0.1:1/x" } };
    const { error } = dataOf<DestinationTest>(await send(shop, "POST", "/test", gone));

    assert.deepEqual(results, [
      [204, true],
      [405, true],
      [403, true],
      [401, "unauthorized"],
      [302, "redirect"],
      [503, "http"],
    ]);
    assert.equal(error?.code, "unreachable");
  });

  test("gets products of the ACP Feed API as its schema wants them", async () => {
    await using to = await receiver();
    const shop = await api.openShop(mugs(3));
    const settings = { url: `${to.origin}/v1/`, method: "acp", feed_id: "feed_8f3K2x" };
    dataOf(await send(shop, "POST", "", { kind: "https", settings, format: "acp-feed" }), 201);
    dataOf(await shop.sync());

    const receipt = await newestEnds(shop);

    assert.equal(receipt.state, "delivered", JSON.stringify(receipt.error));
    const [request] = to.received;
    assert.deepEqual([request?.method, request?.url], ["PATCH", "/v1/feeds/feed_8f3K2x/products"]);
    assert.equal(request?.headers["api-version"], "2026-04-17");
    const body = JSON.parse(request?.body.toString() ?? "") as { products: unknown[] };
    assert.deepEqual([...Value.Errors(AcpUpsert, body)], []);
    assert.equal(body.products.length, 3);
  });

  test("that echoes the headers of a failed upload does not get them into the log, the list, the status or a test", async () => {
    await using to = await serving(
      createServer((request, response) => {
        request.resume();
        response.writeHead(500).end(`You sent ${request.headers.authorization ?? ""}.`);
      }),
    );
    const shop = await api.openShop(mugs(1));
    const settings = { url: `${to.origin}/x`, headers: "Authorization: Bearer s3cret-token" };
    dataOf(await send(shop, "POST", "", { kind: "https", settings }), 201);
    dataOf(await shop.sync());
    const failed = await until(
      async () => (await deliveries(shop)).find((one) => one.error !== null),
      "a failure",
    );
    assert.match(failed.error?.message ?? "", /It says: You sent \[secret\]\./);
    for (const path of ["/destinations/deliveries", "/destinations", "/status"])
      assert.equal((await shop.call(`/api/v1${path}`)).text.includes("s3cret-token"), false, path);
    const tested = await send(shop, "POST", "/test", { kind: "https", settings });
    assert.match(tested.text, /You sent \[secret\]/);
  });

  test("that refuses or redirects is distinguished", async () => {
    for (const [status, code] of [
      [401, "unauthorized"],
      [302, "redirect"],
      [500, "http"],
    ] as const) {
      await using to = await receiver(status);
      const shop = await api.openShop(mugs(1));
      dataOf(await send(shop, "POST", "", { kind: "https", settings: { url: `${to.origin}/x` } }), 201);
      dataOf(await shop.sync());
      const { error } = await until(
        async () => (await deliveries(shop)).find((one) => one.error !== null),
        "a failure",
      );
      assert.equal(error?.code, code);
      assert.equal(to.received.length, 1);
    }
  });

  test("must be https, and must have room for several files", async () => {
    const shop = await api.openShop(mugs(1));
    const plain = await send(shop, "POST", "", { kind: "https", settings: { url: "http://shop.example/" } });
    assertProblem(plain, 422, "destination_settings_invalid");
    const several = { kind: "https", settings: { url: "https://shop.example/x" }, shards: true };
    const { errors } = assertProblem(
      await send(shop, "POST", "", several),
      422,
      "destination_settings_invalid",
    );
    assert.match(errors?.[0]?.detail ?? "", /\{file\}/);
  });
});
