/**
 * Law: no call causes a server error, and none shows or changes another catalog's data. The
 * seed is fixed, so that a failure is reproducible; `npm run test:attacks` sends thousands with other seeds.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "../faults/problems.ts";
import { faultOf, fuzzer, sendFuzzCall } from "./fuzz.ts";
import type { ApiDocument } from "./fuzz.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const CALLS = Number(process.env["FUZZ_CALLS"] ?? 400);
const SEED = Number(process.env["FUZZ_SEED"] ?? 5);

/** All that a catalog has, as its owner sees it. */
async function stateOf(shop: Shop): Promise<unknown> {
  const paths = ["items", "sources", "webhooks", "feeds"];
  const answers = await Promise.all(paths.map(async (path) => shop.call(`/api/v1/${path}`)));
  return answers.map(({ json }) => json);
}

test(`${CALLS} random calls cause no server error, and show or change nothing of another catalog`, async () => {
  await using api = await runningApi();
  const [attacker, victim] = [await api.openShop(mugs(3)), await api.openShop()];
  const mark = "only-the-other-catalog-has-this";
  victim.sells(mugs(3).map((row) => ({ ...row, title: mark })));
  for (const shop of [attacker, victim]) assert.equal((await shop.sync()).status, 200);
  const hook = await victim.call("/api/v1/webhooks", {
    method: "POST",
    body: { url: `http://127.0.0.1:9/${mark}`, events: ["sync.completed"] },
  });
  const { id: hookId, secret } = (hook.json as { data: { id: string; secret: string } }).data;
  const before = await stateOf(victim);
  const document = (await api.ask("/api/v1/openapi.json")).json as ApiDocument;
  const next = fuzzer({
    document,
    chance: randomFrom(SEED),
    ids: [attacker.sourceId, victim.sourceId, hookId, victim.id],
    urls: ["http://127.0.0.1:9/feed.csv", "https://shop.invalid/feed.csv"],
  });

  const faults: string[] = [];
  for (let i = 0; i < CALLS; i += 1) {
    const call = next();
    const authorization = i % 20 === 0 ? "" : `Bearer ${i % 7 === 0 ? attacker.readKey : attacker.key}`;
    const fault = faultOf(call, await sendFuzzCall(api.url, call, authorization), [mark, secret]);
    if (fault !== null) faults.push(fault);
  }

  assert.deepEqual(faults, []);
  assert.deepEqual(await stateOf(victim), before);
  assert.deepEqual(
    api.log.lines.filter(({ level }) => level === "error"),
    [],
  );
});
