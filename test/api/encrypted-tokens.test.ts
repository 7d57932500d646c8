/** Feed tokens are stored encrypted, and receivers of webhooks still get the same bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verify } from "../../receiver/src/verify.ts";
import { answer, openReceiver } from "../fakes/receiver.ts";
import { tablesWith } from "../dump.ts";
import { until } from "../actions.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());
const receiver = closeAfterTests(await openReceiver());

async function tokenOf(shop: Shop): Promise<string> {
  const { feeds } = await shop.feeds();
  return /\/f\/[^/]+\/([^/]+)\//.exec(feeds[0]?.url ?? "")?.[1] ?? "";
}

type Log = {
  data: {
    deliveries: {
      id: string;
      state: string;
      attempts: { answer: string | null; location: string | null }[];
    }[];
  };
};

async function register(shop: Shop, url: string): Promise<string> {
  const body = { url, events: ["feeds.rendered"] };
  const made = await shop.call("/api/v1/webhooks", { method: "POST", body });
  assert.equal(made.status, 201, made.text);
  return (made.json as { data: { secret: string } }).data.secret;
}

const deliveries = async (shop: Shop) =>
  ((await shop.call("/api/v1/webhooks/deliveries")).json as Log).data.deliveries;

const received = (path: string) => receiver.requests.filter((request) => request.path === path);

test("no table has a feed token in plain text, also if the receiver's answer contains one", async () => {
  const shop = await api.openShop(mugs(2));
  const token = await tokenOf(shop);
  await register(shop, receiver.on("/echo", answer(200, { body: `{"got":"/f/x/${token}/acp.csv"}` })));
  await register(shop, receiver.on("/cut", answer(200, { body: "x".repeat(16 * 1024 - 20) + token })));
  const location = `https://elsewhere.example/${token}`;
  await register(shop, receiver.on("/moved", answer(302, { headers: { location } })));

  assert.equal((await shop.sync()).status, 200);
  const log = await until(async () => {
    const found = await deliveries(shop);
    return found.length === 3 && found.every(({ attempts }) => attempts.length === 1) ? found : undefined;
  }, "three attempts");

  assert.deepEqual(await tablesWith(api.db, token), []);
  assert.deepEqual(await tablesWith(api.db, token.slice(0, 20)), []);
  const answers = log.flatMap(({ attempts }) => attempts.map((attempt) => attempt.answer ?? ""));
  assert.ok(answers.includes('{"got":"/f/x/[feed token]/acp.csv"}'));
  assert.ok(answers.some((text) => text.endsWith("x[feed token]")));
  assert.ok(log.some(({ attempts }) => attempts[0]?.location === "https://elsewhere.example/[feed token]"));
});

test("after a rotation of feed URLs, a resent delivery has the same signed bytes with the old token", async () => {
  const shop = await api.openShop(mugs(2));
  const token = await tokenOf(shop);
  const secret = await register(shop, receiver.on("/same", answer(200)));
  assert.equal((await shop.sync()).status, 200);
  const [first] = await until(async () => {
    const found = await deliveries(shop);
    return found[0]?.state === "delivered" ? found : undefined;
  }, "the delivery");
  const rotated = await shop.call("/api/v1/feeds/rotate", { method: "POST", body: { overlap_s: 0 } });
  assert.equal(rotated.status, 200, rotated.text);

  const body = { delivery_id: first?.id };
  const resent = await shop.call("/api/v1/webhooks/deliveries/resend", { method: "POST", body });
  assert.equal(resent.status, 200);
  const [one, two] = await until(async () => {
    const all = received("/same");
    return all.length === 2 ? all : undefined;
  }, "the second delivery");

  assert.ok(one && two);
  assert.equal(one.body, two.body);
  const { data } = JSON.parse(one.body) as { data: { feeds: { url: string }[] } };
  assert.equal(data.feeds.length, 4);
  for (const { url } of data.feeds) assert.ok(url.includes(`/${token}/`), url);
  for (const { headers, body: text } of [one, two])
    verify(text, String(headers["x-service-signature"]), secret);
  assert.deepEqual(await tablesWith(api.db, token), []);
});
