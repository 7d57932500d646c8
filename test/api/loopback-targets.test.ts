/** Sources, webhooks and destinations on this machine, while only this machine is served. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeAfterTests } from "../close-after.ts";
import { openReceiver } from "../fakes/receiver.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Asked, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi({ allowLoopback: true }));

type Headers = NonNullable<Asked["headers"]>;

/** Each way in which a call can name a target, with the status of a success. */
const CALLS: Readonly<Record<string, (shop: Shop, host: string) => readonly [string, Asked, number]>> = {
  "a new source": (_, host) => [
    "/sources",
    { method: "POST", body: { kind: "feed_url", settings: { url: `http://${host}/a.csv` }, enabled: false } },
    201,
  ],
  "a changed source": ({ sourceId }, host) => [
    "/sources",
    { method: "PATCH", body: { id: sourceId, settings: { url: `http://${host}/a.csv` } } },
    200,
  ],
  "a webhook": (_, host) => [
    "/webhooks",
    { method: "POST", body: { url: `http://${host}/hook`, events: ["sync.completed"] } },
    201,
  ],
  "an HTTPS destination": (_, host) => [
    "/destinations",
    {
      method: "POST",
      body: { name: host, kind: "https", format: "acp.csv.gz", settings: { url: `http://${host}/{file}` } },
    },
    201,
  ],
  "an SFTP destination": (_, host) => [
    "/destinations",
    {
      method: "POST",
      body: {
        name: `sftp ${host}`,
        kind: "sftp",
        format: "acp.csv.gz",
        settings: { host: host.replace(/:\d+$/, ""), user: "u", password: "p" },
      },
    },
    201,
  ],
};

const PROXIED: Readonly<Record<string, Headers>> = {
  "X-Forwarded-For": { "x-forwarded-for": "127.0.0.1" },
  "X-Forwarded-Host": { "x-forwarded-host": "localhost" },
  Forwarded: { forwarded: "for=127.0.0.1" },
  Via: { via: "1.1 proxy" },
  "the Host of another machine": { host: "feeds.example" },
  "a Host that resembles localhost": { host: "localhost.example:8080" },
};

test("a feed and a receiver on this machine work without a setting", async () => {
  await using receiver = await openReceiver();
  const shop = await api.openShop(mugs(3));
  const url = receiver.url("/hook");
  const body = { url, events: ["sync.completed"] };
  const registered = await shop.call("/api/v1/webhooks", { method: "POST", body });
  assert.equal(registered.status, 201, registered.text);

  assert.equal((await shop.sync()).status, 200);

  const [delivery] = await receiver.received(1);
  assert.equal(delivery?.headers["x-service-event"], "sync.completed");
});

describe("a loopback address", () => {
  for (const [what, call] of Object.entries(CALLS)) {
    test(`is accepted for ${what} from this machine, and refused through a proxy`, async () => {
      const shop = await api.openShop();
      for (const host of ["127.0.0.1:9000", "localhost:9000"]) {
        const [path, asked, success] = call(shop, host);
        for (const [how, headers] of Object.entries(PROXIED)) {
          const refused = await shop.call(`/api/v1${path}`, { ...asked, headers });
          assert.ok([400, 422].includes(refused.status), `${how}: ${refused.text}`);
        }

        const accepted = await shop.call(`/api/v1${path}`, asked);

        assert.equal(accepted.status, success, accepted.text);
      }
    });
  }

  test("is not read by a test of a source through a proxy", async () => {
    const shop = await api.openShop(mugs(2));
    const tried = (headers: Headers) =>
      shop.call("/api/v1/sources/test", { method: "POST", body: { id: shop.sourceId }, headers });

    assert.equal((await tried({})).status, 200);
    for (const headers of Object.values(PROXIED)) {
      assertProblem(await tried(headers), 422, "target_forbidden");
    }
  });
});

test("private addresses are refused as always", async () => {
  const shop = await api.openShop();
  for (const [what, call] of Object.entries(CALLS)) {
    for (const host of ["10.0.0.1:9000", "[::ffff:10.0.0.1]:9000", "169.254.169.254:9000"]) {
      const [path, asked] = call(shop, host);
      const { status, text } = await shop.call(`/api/v1${path}`, asked);
      assert.ok([400, 422].includes(status), `${what} ${host}: ${text}`);
    }
  }
});
