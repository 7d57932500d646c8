/** Sources over real HTTP: created, changed, tested and removed with keys of their catalog only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Source } from "../../src/contract/sources.ts";
import type { SyncStats } from "../../src/contract/syncs.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { CONNECTORS } from "../../src/sources/registry.ts";
import { findSource } from "../../src/store/sources.ts";
import { itemIds, runsOf } from "../actions.ts";
import { feedHost } from "../fakes/feed-host.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Asked, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const SOURCES = "/api/v1/sources";
/** A UUID that is well made and names nothing. */
const UNKNOWN_ID = "01999999-1234-7abc-8abc-0123456789ab";
const FEED = "https://shop.example/feed.csv";

const api = closeAfterTests(await runningApi());
const host = closeAfterTests(await feedHost());

const ask = (shop: Shop, method: NonNullable<Asked["method"]>, body?: object): Promise<Answer> =>
  shop.call(SOURCES, { method, ...(body && { body }) });

async function list(shop: Shop): Promise<readonly Source[]> {
  const answer = await shop.call(SOURCES);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { sources: Source[] } }).data.sources;
}

function sourceIn(answer: Answer, status: number): Source {
  assert.equal(answer.status, status, answer.text);
  return (answer.json as { data: Source }).data;
}

test("a source is listed with its settings, the names of its secrets, its interval and its last run", async () => {
  const shop = await api.openShop([...mugs(2), { id: "bad", price: "free" }]);
  const [fresh] = await list(shop);
  const synced = (await shop.sync()).json as { data: { run_id: string } };

  const [source] = await list(shop);

  assert.equal(fresh?.last_run, null);
  assert.equal(source?.id, shop.sourceId);
  assert.deepEqual([source?.kind, source?.enabled, source?.interval_s], ["feed_url", true, 21_600]);
  assert.deepEqual([source?.max_removed_ratio, source?.item_count], [0.5, 2]);
  assert.equal(source?.settings["format"], "auto");
  assert.equal(source?.last_run?.run_id, synced.data.run_id);
  assert.equal(source?.last_run?.status, "succeeded");
  assert.deepEqual([source?.last_run?.stats.upserted, source?.last_run?.stats.rejected], [2, 1]);
  assert.equal(source?.last_run?.stats.rejections[0]?.item_id, "bad");
  assert.equal(source?.last_run?.error, null);
  assert.deepEqual([source?.deletions.found_by, source?.deletions.checked_at], [["full_read"], null]);
  assert.match(source?.deletions.detail ?? "", /^Every sync reads the whole source/);
  assert.equal(source?.next_run_at, fresh?.next_run_at, "a sync on demand does not move the schedule");
});

test("a source shows that its last sync failed or is running", async () => {
  await using feed = await heldFeed(csv(mugs(1)));
  const shop = await api.openShop([], feed.url);
  const accepted = await shop.sync({ prefer: "respond-async" });
  await feed.asked;

  const [running] = await list(shop);
  feed.release();
  await api.ended((accepted.json as { data: { run_id: string } }).data.run_id);
  await shop.call(SOURCES, {
    method: "PATCH",
    body: { id: shop.sourceId, settings: { url: "http://127.0.0.1:1/" } },
  });
  await shop.sync();
  const [failed] = await list(shop);

  assert.deepEqual([running?.last_run?.status, running?.last_run?.finished_at], ["running", null]);
  assert.deepEqual(
    [failed?.last_run?.status, failed?.last_run?.error?.code],
    ["failed", "source_unreachable"],
  );
});

test("an added source is stored with encrypted secrets, and no answer contains them", async () => {
  const shop = await api.openShop();
  const settings = { url: FEED, username: "jane", password: "correct horse", headers: "X-Token: battery" };

  const added = await ask(shop, "POST", {
    kind: "feed_url",
    name: " Outlet ",
    settings,
    enabled: false,
    interval_s: 300,
    max_removed_ratio: 1,
  });
  const renamed = await ask(shop, "PATCH", { id: sourceIn(added, 201).id, name: "Depot" });
  const listed = await shop.call(SOURCES);

  const source = sourceIn(added, 201);
  assert.deepEqual(source.settings, { url: FEED, format: "auto", username: "jane" });
  assert.deepEqual(source.secrets_set, ["headers", "password"]);
  assert.deepEqual([source.name, source.enabled, source.next_run_at], ["Outlet", false, null]);
  assert.deepEqual([source.interval_s, source.max_removed_ratio, source.item_count], [300, 1, 0]);
  assert.deepEqual(sourceIn(renamed, 200), { ...source, name: "Depot" });
  for (const { text } of [added, renamed, listed]) assert.doesNotMatch(text, /correct horse|battery/);
});

test("a change keeps other settings, null clears one, and enabling makes the source due", async () => {
  const shop = await api.openShop();
  const settings = { url: FEED, username: "jane", password: "hush" };
  const { id } = sourceIn(await ask(shop, "POST", { kind: "feed_url", settings, enabled: false }), 201);

  const quiet = sourceIn(
    await ask(shop, "PATCH", { id, settings: { username: null, password: null, url: `${FEED}?v=2` } }),
    200,
  );
  const began = Date.now();
  const on = sourceIn(await ask(shop, "PATCH", { id, enabled: true, interval_s: 604_800 }), 200);

  assert.deepEqual(quiet.settings, { url: `${FEED}?v=2`, format: "auto" });
  assert.deepEqual([quiet.secrets_set, quiet.enabled], [[], false]);
  assert.equal(on.interval_s, 604_800);
  assert.ok(Date.parse(on.next_run_at ?? "") <= Math.max(began, Date.now()) + 1_000);
});

test("a change of the host requires the secrets again", async () => {
  const shop = await api.openShop();
  const settings = { url: FEED, username: "jane", password: "hush" };
  const { id } = sourceIn(await ask(shop, "POST", { kind: "feed_url", settings, enabled: false }), 201);
  const away = { url: "https://elsewhere.example/feed.csv" };

  const changed = assertProblem(
    await ask(shop, "PATCH", { id, settings: away }),
    422,
    "source_settings_invalid",
  );
  const tried = await shop.call(`${SOURCES}/test`, { method: "POST", body: { id, settings: away } });
  const entered = await ask(shop, "PATCH", { id, settings: { ...away, password: "hush again" } });

  assert.deepEqual(
    changed.errors?.map(({ pointer }) => pointer),
    ["/settings/password"],
  );
  assertProblem(tried, 422, "source_settings_invalid");
  assert.equal(sourceIn(entered, 200).settings["url"], away.url);
});

type Refusal = {
  readonly what: string;
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly body: object;
  readonly as: [number, ErrorCode];
  readonly pointers?: readonly string[];
};

const REFUSED: readonly Refusal[] = [
  {
    what: "an unknown kind",
    method: "POST",
    body: { kind: "carrier_pigeon", settings: {} },
    as: [422, "source_settings_invalid"],
    pointers: ["/kind"],
  },
  {
    what: "unknown and invalid settings",
    method: "POST",
    body: { kind: "feed_url", settings: { colour: "red", url: "ftp://shop.example/", format: "paper" } },
    as: [422, "source_settings_invalid"],
    pointers: ["/settings/colour", "/settings/format", "/settings/url"],
  },
  {
    what: "a setting that is no text",
    method: "POST",
    body: { kind: "feed_url", settings: { url: 7 } },
    as: [400, "invalid_request"],
    pointers: ["/settings/url"],
  },
  {
    what: "no settings",
    method: "POST",
    body: { kind: "feed_url" },
    as: [400, "invalid_request"],
    pointers: ["/settings"],
  },
  {
    what: "an interval below five minutes",
    method: "POST",
    body: { kind: "feed_url", settings: { url: FEED }, interval_s: 299 },
    as: [400, "invalid_request"],
    pointers: ["/interval_s"],
  },
  {
    what: "an interval above seven days",
    method: "PATCH",
    body: { id: UNKNOWN_ID, interval_s: 604_801 },
    as: [400, "invalid_request"],
    pointers: ["/interval_s"],
  },
  {
    what: "a ratio above one",
    method: "PATCH",
    body: { id: UNKNOWN_ID, max_removed_ratio: 1.1 },
    as: [400, "invalid_request"],
    pointers: ["/max_removed_ratio"],
  },
  {
    what: "a change of an unknown source",
    method: "PATCH",
    body: { id: UNKNOWN_ID, name: "x" },
    as: [422, "unknown_source"],
  },
  {
    what: "a change of the kind",
    method: "PATCH",
    body: { id: UNKNOWN_ID, kind: "feed_url" },
    as: [400, "invalid_request"],
    pointers: ["/kind"],
  },
  {
    what: "a removal without a choice for the items",
    method: "DELETE",
    body: { id: UNKNOWN_ID },
    as: [400, "invalid_request"],
    pointers: ["/items"],
  },
  {
    what: "a removal of an unknown source",
    method: "DELETE",
    body: { id: UNKNOWN_ID, items: "keep" },
    as: [422, "unknown_source"],
  },
];

for (const { what, method, body, as, pointers = [] } of REFUSED) {
  test(`${what} is refused by ${method}, with a pointer to what is wrong`, async () => {
    const shop = await api.openShop();

    const problem = assertProblem(await ask(shop, method, body), ...as);

    assert.deepEqual((problem.errors ?? []).map(({ pointer }) => pointer).sort(), pointers);
    assert.equal((await list(shop)).length, 1);
  });
}

test("removing a source removes its items, and the feeds are rendered without them", async () => {
  const shop = await api.openShop(mugs(3));
  await shop.sync();

  const answer = await ask(shop, "DELETE", { id: shop.sourceId, items: "remove" });

  assert.deepEqual(answer.json, {
    data: { id: shop.sourceId, deleted: true, items_kept: 0, items_removed: 3, run_id: null },
  });
  assert.deepEqual(await list(shop), []);
  assert.deepEqual(await itemIds(api.db, shop.id), []);
  assert.ok((await runsOf(api.db, shop.id)).some(({ cause }) => cause === "removal"));
});

test("kept items have no owner: they stay in the feeds until the next full push claims them", async () => {
  const shop = await api.openShop(mugs(3));
  await shop.sync();
  const feed = (await shop.fetch("acp.csv")).text;

  const answer = await ask(shop, "DELETE", { id: shop.sourceId, items: "keep" });
  const kept = await itemIds(api.db, shop.id);
  const pushed = await shop.call("/api/v1/catalog", {
    method: "PUT",
    body: [{ id: "mug-001", title: "Mug", link: "https://shop.example/p/1", price: "1.00 USD" }],
  });

  assert.deepEqual(answer.json, {
    data: { id: shop.sourceId, deleted: true, items_kept: 3, items_removed: 0, run_id: null },
  });
  assert.deepEqual(kept, ["mug-001", "mug-002", "mug-003"]);
  assert.match(feed, /mug-003/);
  const { stats } = (pushed.json as { data: { stats: Record<string, number> } }).data;
  assert.deepEqual([stats["upserted"], stats["removed"]], [1, 2]);
  assert.deepEqual(await itemIds(api.db, shop.id), ["mug-001"]);
});

type Tried = {
  readonly data: {
    readonly probe: unknown;
    readonly items: readonly { readonly id: string; readonly price: object }[];
    readonly rejections: readonly {
      readonly item_id: string;
      readonly position: number;
      readonly code: string;
    }[];
    readonly warnings: readonly object[];
    readonly effect: object;
    readonly is_whole: boolean;
  };
};

const tryOut = (shop: Shop, body: object): Promise<Answer> =>
  shop.call(`${SOURCES}/test`, { method: "POST", body });

test("a test shows what would be published, for a saved source and for unsaved settings, and changes nothing", async () => {
  const shop = await api.openShop([...mugs(2), { id: "bad", price: "free" }]);
  host.serve("/new.csv", { kind: "file", body: csv(mugs(40)) });
  const settings = { url: host.url("/new.csv") };

  const saved = (await tryOut(shop, { id: shop.sourceId })).json as Tried;
  const unsaved = (await tryOut(shop, { kind: "feed_url", settings })).json as Tried;
  const edited = (await tryOut(shop, { id: shop.sourceId, settings })).json as Tried;

  assert.deepEqual(
    saved.data.items.map(({ id }) => id),
    ["mug-001", "mug-002"],
  );
  assert.deepEqual(saved.data.items[0]?.price, { amount: "9.50", currency: "USD" });
  assert.deepEqual(
    saved.data.rejections.map(({ item_id, position, code }) => [item_id, position, code]),
    [["bad", 3, "invalid_price"]],
  );
  assert.deepEqual([saved.data.is_whole, unsaved.data.is_whole], [true, false]);
  assert.equal(unsaved.data.items.length, 20);
  assert.deepEqual(edited.data.items, unsaved.data.items);
  assert.deepEqual(await itemIds(api.db, shop.id), []);
  assert.deepEqual(await runsOf(api.db, shop.id), []);
});

const syncStats = (answer: Answer): SyncStats => {
  assert.equal(answer.status, 200, answer.text);
  return dataOf<{ readonly stats: SyncStats }>(answer).stats;
};

test("a test rejects a repeated id as the sync does, with the same sentence", async () => {
  const shop = await api.openShop([...mugs(2), { id: "mug-001", title: "Another mug" }]);

  const tried = (await tryOut(shop, { id: shop.sourceId })).json as Tried;
  const { rejections, rejection_codes } = syncStats(await shop.sync());

  assert.deepEqual(
    tried.data.items.map(({ id }) => id),
    ["mug-001", "mug-002"],
  );
  assert.deepEqual(rejection_codes, { duplicate_item_id: 1 });
  assert.deepEqual(tried.data.rejections, rejections);
});

test("a test rejects ids of other sources and of pushed items as the sync does; a source's own items are compared", async () => {
  const shop = await api.openShop(mugs(2));
  syncStats(await shop.sync());
  const pushed = [{ id: "pushed", title: "Mug", link: "https://shop.example/p", price: "1 USD" }];
  assert.equal((await shop.call("/api/v1/catalog", { method: "PUT", body: pushed })).status, 200);
  const rows = [{ id: "mug-002" }, { id: "new" }, { id: "pushed" }];
  host.serve("/other.csv", { kind: "file", body: csv(rows) });
  const settings = { url: host.url("/other.csv") };
  shop.sells([{ id: "mug-001" }, { id: "mug-002", title: "Larger mug" }, { id: "mug-003" }]);

  const own = (await tryOut(shop, { id: shop.sourceId })).json as Tried;
  const tried = (await tryOut(shop, { kind: "feed_url", settings })).json as Tried;
  const other = sourceIn(await ask(shop, "POST", { kind: "feed_url", settings }), 201);
  const synced = await shop.call("/api/v1/syncs", { method: "POST", body: { source_id: other.id } });

  assert.deepEqual(own.data.effect, {
    added: ["mug-003"],
    changed: ["mug-002"],
    unchanged: ["mug-001"],
    deleted: [],
  });
  assert.deepEqual(tried.data.effect, { added: ["new"], changed: [], unchanged: [], deleted: [] });
  assert.equal(tried.data.rejections.length, 2);
  assert.deepEqual(tried.data.rejections, syncStats(synced).rejections);
});

test("a test that fails is answered with the reason, and a test without settings is refused", async () => {
  const shop = await api.openShop();
  host.serve("/locked.csv", { kind: "file", status: 401, body: "" });
  const locked = { kind: "feed_url", settings: { url: host.url("/locked.csv") } };

  assertProblem(await tryOut(shop, locked), 422, "source_unauthorized");
  const inside = { kind: "feed_url", settings: { url: "http://10.0.0.1/feed.csv" } };
  assertProblem(await tryOut(shop, inside), 422, "target_forbidden");
  assertProblem(await tryOut(shop, { kind: "feed_url" }), 422, "source_settings_invalid");
  assertProblem(await tryOut(shop, { kind: "pigeon" }), 422, "source_settings_invalid");
  assertProblem(await tryOut(shop, {}), 400, "invalid_request");
  assertProblem(await tryOut(shop, { id: shop.sourceId, kind: "feed_url" }), 400, "invalid_request");
  assertProblem(await tryOut(shop, { id: UNKNOWN_ID }), 422, "unknown_source");
});

test("a test of a file without recognized columns suggests settings that make it work", async () => {
  const shop = await api.openShop();
  const rows = "1,Blue mug,https://shop.example/1,9.50\n2,Red mug,https://shop.example/2,9.50\n";
  host.serve("/odd.csv", {
    kind: "file",
    body: `Numero producto,Nombre corto,Producto URL,final_price\n${rows}`,
  });
  const settings = { url: host.url("/odd.csv") };

  const refused = await tryOut(shop, { kind: "feed_url", settings });

  const { suggested_settings: suggested } = assertProblem(refused, 422, "source_not_a_feed");
  const { columns = "" } = suggested ?? {};
  assert.match(columns, /^Nombre corto = title$/m);
  const answer = await tryOut(shop, { kind: "feed_url", settings: { ...settings, columns } });
  assert.equal((answer.json as { data: { items: unknown[] } }).data.items.length, 2);
});

test("the list of kinds has all connectors, with their form fields", async () => {
  const shop = await api.openShop();

  const { json } = await shop.call(`${SOURCES}/kinds`);

  const { kinds } = (json as { data: { kinds: { kind: string; fields: Record<string, unknown>[] }[] } }).data;
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    Object.keys(CONNECTORS),
  );
  const fields = new Map(
    kinds.find(({ kind }) => kind === "feed_url")?.fields.map((one) => [one["name"], one]),
  );
  assert.deepEqual(
    [fields.get("url")?.["required"], fields.get("url")?.["choices"], fields.get("password")?.["secret"]],
    [true, null, true],
  );
  assert.equal(fields.get("format")?.["default"], "auto");
  assert.ok(Array.isArray(fields.get("format")?.["choices"]));
});

test("a key can access only the sources of its catalog", async () => {
  const [mine, theirs] = [await api.openShop(mugs(1)), await api.openShop(mugs(1))];
  const before = await findSource(api.db, theirs.sourceId);
  const id = theirs.sourceId;

  assert.deepEqual(
    (await list(mine)).map((source) => source.id),
    [mine.sourceId],
  );
  assertProblem(await ask(mine, "PATCH", { id, name: "Mine" }), 422, "unknown_source");
  assertProblem(await ask(mine, "DELETE", { id, items: "remove" }), 422, "unknown_source");
  assertProblem(await tryOut(mine, { id }), 422, "unknown_source");

  assert.deepEqual(await findSource(api.db, id), before);
});

test("a key with the scope read can list sources and kinds, and change nothing", async () => {
  const shop = await api.openShop();
  const headers = { authorization: `Bearer ${shop.readKey}` };
  const body = { id: shop.sourceId, items: "remove", kind: "feed_url", settings: { url: FEED } };

  assert.equal((await shop.call(SOURCES, { headers })).status, 200);
  assert.equal((await shop.call(`${SOURCES}/kinds`, { headers })).status, 200);
  for (const [path, method] of [
    [SOURCES, "POST"],
    [SOURCES, "PATCH"],
    [SOURCES, "DELETE"],
    [`${SOURCES}/test`, "POST"],
  ] as const) {
    assertProblem(await shop.call(path, { method, headers, body }), 403, "insufficient_scope");
  }
  const wrong = await shop.call(`${SOURCES}/test`, { method: "GET" });
  assertProblem(wrong, 405, "method_not_allowed");
});

test("the answers about sources match the OpenAPI document", async () => {
  const shop = await api.openShop([...mugs(1), { id: "bad", price: "free" }]);
  await shop.sync();
  const assertDescribed = await describedBy(api);
  const { sourceId: id } = shop;
  const settings = { url: FEED };
  const calls: readonly (readonly [string, number, object?])[] = [
    [`GET ${SOURCES}`, 200],
    [`GET ${SOURCES}/kinds`, 200],
    [`POST ${SOURCES}`, 201, { kind: "feed_url", settings, enabled: false }],
    [`POST ${SOURCES}`, 422, { kind: "pigeon", settings }],
    [`POST ${SOURCES}`, 400, {}],
    [`PATCH ${SOURCES}`, 200, { id, name: "Depot" }],
    [`PATCH ${SOURCES}`, 422, { id: UNKNOWN_ID }],
    [`POST ${SOURCES}/test`, 200, { id }],
    [`POST ${SOURCES}/test`, 422, { kind: "feed_url" }],
    [`DELETE ${SOURCES}`, 400, { id }],
    [`DELETE ${SOURCES}`, 200, { id, items: "keep" }],
    [`DELETE ${SOURCES}`, 422, { id, items: "keep" }],
  ];

  for (const [call, status, body] of calls) {
    const [method, path = ""] = call.split(" ");
    const answer = await shop.call(path, {
      method: method as NonNullable<Asked["method"]>,
      ...(body && { body }),
    });
    assert.equal(answer.status, status, answer.text);
    assertDescribed(call, answer);
  }
});
