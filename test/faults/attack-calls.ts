/** Attacks by single calls: generated ones, and all documented ones with keys and ids that must be refused. */
import { faultOf, fuzzer, sendFuzzCall } from "../api/fuzz.ts";
import type { ApiDocument } from "../api/fuzz.ts";
import { call, note } from "./attack-measures.ts";
import { expect, randomFrom } from "./problems.ts";
import type { Tenant, World } from "./world.ts";

/** Calls that the seed generates. */
export async function fuzzApi(
  world: World,
  [attacker, , victim]: readonly Tenant[],
  { seed, calls }: { readonly seed: number; readonly calls: number },
): Promise<void> {
  if (!attacker || !victim) return;
  const document = (await (await call(world, { key: "" }, "openapi.json")).json()) as ApiDocument;
  const next = fuzzer({
    document,
    chance: randomFrom(seed),
    ids: [attacker.sourceId, victim.sourceId],
    urls: ["http://127.0.0.1:9/feed.csv", attacker.shop.url],
  });
  const before = await (await call(world, victim, "items?limit=500")).text();
  const statuses: Record<string, number> = {};
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const made = next();
      const authorization = left % 20 === 0 ? "" : `Bearer ${attacker.key}`;
      const answer = await sendFuzzCall(world.service.url, made, authorization);
      const status = `${Math.floor(answer.status / 100)}xx`;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const fault = faultOf(made, answer, [victim.secret, victim.key, victim.shop.url]);
      if (fault !== null) expect(false, fault);
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  const after = await (await call(world, victim, "items?limit=500")).text();
  expect(before === after, "fuzzed calls changed another catalog");
  note("Fuzzed calls", calls);
  note("… answered 2xx, 4xx, 5xx", ["2xx", "4xx", "5xx"].map((status) => statuses[status] ?? 0).join(", "));
}

/** Every documented call with keys that must not open it, and with the ids of another catalog. */
export async function attackAuthorization(
  world: World,
  [attacker, , victim]: readonly Tenant[],
): Promise<void> {
  if (!attacker || !victim) return;
  const document = (await (await call(world, { key: "" }, "openapi.json")).json()) as ApiDocument;
  const { key } = victim;
  const wrong = [
    "",
    "Bearer",
    "Bearer x",
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}x`,
    `Bearer ${key.slice(0, 16)}${attacker.key.slice(16)}`,
    `Basic ${key}`,
    `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
    `Bearer ${key} ${key}`,
    `Bearer ${key.toUpperCase()}`,
    `Bearer ${key.toLowerCase().replace(/\d/g, "0")}`,
    `Bearer ' or 1=1 --`,
    `Token ${key}`,
    key,
    `Bearer "${key}"`,
    `Bearer ${encodeURIComponent(`${key}\0`)}`,
    `Digest ${key}`,
    "Bearer null",
    "Bearer undefined",
  ];
  let count = 0;
  let isKeyed = 0;
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security }] of Object.entries(methods)) {
      if (security?.length === 0) continue;
      const url = world.service.url + path.replace("{id}", "a1");
      for (const authorization of wrong) {
        const answer = await fetch(url, { method: method.toUpperCase(), headers: { authorization } });
        await answer.body?.cancel();
        count += 1;
        expect(
          answer.status === 401,
          `${method} ${path} answers ${answer.status} to "${authorization.slice(0, 12)}…"`,
        );
      }
      isKeyed += 1;
    }
  // Ids of the other catalog under one's own key.
  const foreign: readonly (readonly [string, string, object])[] = [
    ["syncs", "POST", { source_id: victim.sourceId }],
    ["sources", "PATCH", { id: victim.sourceId, enabled: false }],
    ["sources", "DELETE", { id: victim.sourceId, items: "remove" }],
    ["sources/test", "POST", { id: victim.sourceId }],
  ];
  for (const [path, method, body] of foreign) {
    const answer = await call(world, attacker, path, { method, body });
    await answer.body?.cancel();
    count += 1;
    expect(
      answer.status >= 400 && answer.status < 500,
      `${method} ${path} with a foreign id: ${answer.status}`,
    );
  }
  note("Authorization attacks", count);
  note("… on calls", isKeyed);
}
