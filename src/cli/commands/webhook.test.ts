import assert from "node:assert/strict";
import { test } from "node:test";
import { Stripe } from "stripe";
import { commandLine } from "../../../test/command-line.ts";
import { answer, openReceiver } from "../../../test/fakes/receiver.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const home = closeAfterTests(await commandLine());
const receiver = closeAfterTests(await openReceiver());
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");

type Made = { readonly id: string; readonly secret: string; readonly events: readonly string[] };
const inShop = ["--catalog", "shop"];
const add = (url: string): Promise<Made> => home.data<Made>("webhook", "add", url, ...inShop);

test("an endpoint is added with its secret, listed without it, and removed", async () => {
  const { id, secret, events } = await add(receiver.url("/a"));
  assert.match(secret, /^whsec_/);
  assert.deepEqual(events, ["sync.completed", "feeds.rendered", "audit.completed"]);

  const listed = await home.run(["webhook", "list", ...inShop]);
  assert.ok(listed.out.includes(id) && !listed.out.includes("whsec_"));

  assert.deepEqual(await home.data("webhook", "remove", id, ...inShop), { id, deleted: true });
  const again = await home.run(["webhook", "remove", id, ...inShop]);
  assert.notEqual(again.status, 0);
  assert.match(again.talk, /no webhook/);
});

test("a test prints its result, and the exit status says whether it was delivered", async () => {
  const good = await add(receiver.url("/good"));
  const bad = await add(receiver.on("/bad", answer(500)));

  const arrived = await home.run(["webhook", "test", good.id, ...inShop]);
  const refused = await home.run(["webhook", "test", bad.id, ...inShop]);

  assert.deepEqual([arrived.status, refused.status], [0, 6]);
  assert.match(arrived.out, /Delivered: status 200\.\n.*total \d/);
  assert.match(refused.out, /Not delivered: .*500/);
  const listed = await home.run(["webhook", "list", ...inShop]);
  assert.match(listed.out, new RegExp(`${good.id}.* active +20`));
  assert.match(listed.out, new RegExp(`${bad.id}.* failing since 20`));
  const log = await home.data<{ deliveries: { state: string }[] }>("webhook", "deliveries", ...inShop);
  assert.deepEqual(log.deliveries.map(({ state }) => state).toSorted(), ["dead", "delivered"]);
  const table = await home.run(["webhook", "deliveries", "--state", "dead", ...inShop]);
  assert.match(table.out, /webhook\.test +dead +1/);
});

test("after a rotation with an overlap the old secret still verifies", async () => {
  const { id, secret } = await add(receiver.url("/rotated"));

  const rotated = await home.run(["webhook", "rotate", id, "--overlap", "2h", ...inShop]);
  await home.run(["webhook", "test", id, ...inShop]);

  assert.match(rotated.out, /Secret: whsec_.*\n.*until 20/);
  const { body, headers } = receiver.requests.at(-1) ?? assert.fail();
  const stripe = new Stripe("sk_test_unused");
  stripe.webhooks.constructEvent(body, String(headers["x-service-signature"]), secret);
});

test("each mistake has its own message", async () => {
  const { id } = await add(receiver.url("/x"));
  const lines: Readonly<Record<string, readonly string[]>> = {
    "https://": ["add", "http://hooks.example/x"],
    "events.0: Must be one of: sync.completed": ["add", "https://hooks.example/x", "--events", "everything"],
    "--overlap": ["rotate", id, "--overlap", "soon"],
    "either a delivery": ["resend"],
    "--since must be": ["resend", "--since", "yesterday"],
    "state: Must be one of: pending": ["deliveries", "--state", "lost"],
  };
  for (const [words, line] of Object.entries(lines)) {
    const { status, talk } = await home.run(["webhook", ...line, ...inShop]);
    assert.notEqual(status, 0, words);
    assert.ok(talk.includes(words), `${words} in ${talk}`);
  }
});

test("without a dead delivery nothing is sent again", async () => {
  const since = "2026-01-01T00:00:00Z";
  assert.deepEqual(await home.data("webhook", "resend", "--since", since, ...inShop), { resent: 0 });
});

test("an endpoint is disabled and enabled again", async () => {
  const { id } = await add(receiver.url("/switched"));

  const off = await home.run(["webhook", "disable", id, ...inShop]);
  const listed = await home.run(["webhook", "list", ...inShop]);
  const on = await home.data<{ enabled: boolean }>("webhook", "enable", id, ...inShop);

  assert.match(off.out, /logged as discarded/);
  assert.match(listed.out, new RegExp(`${id}.* disabled since 20`));
  assert.equal(on.enabled, true);
});
