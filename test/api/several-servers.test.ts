/**
 * Two servers on one database: whoever has the answer of a call finds its effect on the other server at once, also
 * while that one is asked all the time and no notice ever reaches it.
 */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { buildApp } from "../../src/http/app.ts";
import { publishedFeeds } from "../../src/http/published-feeds.ts";
import { AppError } from "../../src/errors.ts";
import { createKey } from "../../src/setup/keys.ts";
import { openDb } from "../../src/store/db.ts";
import type { Db } from "../../src/store/db.ts";
import { publishedEverywhere } from "../../src/store/feed-files.ts";
import { listenForNotices } from "../../src/store/notices.ts";
import type { Notices } from "../../src/store/notices.ts";
import type { Sql } from "../../src/store/sql.ts";
import { sql } from "../../src/store/sql.ts";
import { closeAfterTests } from "../close-after.ts";
import { isLong } from "../long.ts";
import { mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { Answer, Asked, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

/** Notices never arrive. */
const DEAF: Notices = { on: () => () => false, close: async () => undefined };

type Other = AsyncDisposable & {
  readonly get: (path: string, asked?: Asked) => Promise<Answer>;
  /** The lookups of publications so far. */
  readonly lookups: () => number;
};

/** Another server on the same database, with its own connections. */
async function otherServer(notices?: Notices): Promise<Other> {
  const parts = new AsyncDisposableStack();
  const db = openDb(api.db.target, { max: 4, name: "shelfwire-other" });
  parts.defer(db.close);
  let lookups = 0;
  const counting: Db = {
    ...db,
    query: async <Row>(statement: Sql) => {
      if (statement.name === "publications") lookups += 1;
      return db.query<Row>(statement);
    },
  };
  const listening = notices ?? (await listenForNotices(api.db.target));
  if (!notices) parts.defer(listening.close);
  const app = await buildApp({ ...api.parts, db: counting, notices: listening });
  parts.defer(async () => app.close());
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    get: (path, asked) => ask(url + path, asked),
    lookups: () => lookups,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const pathsOf = async (shop: Shop) => (await shop.feeds()).feeds.map(({ url }) => new URL(url).pathname);

async function adminKey({ id: catalogId }: Shop): Promise<string> {
  const { key } = await createKey(api.db, { catalogId, name: "admin", scopes: ["admin"], expiresAt: null });
  return key;
}

async function openSynced(): Promise<Shop> {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  return shop;
}

/** Asks the other server for the path all the time, so that its cache is always in use, while `work` runs. */
async function whileAsked<T>(other: Other, path: string, work: () => Promise<T>): Promise<T> {
  await other.get(path);
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) await other.get(path, { headers: { "if-none-match": "*" } });
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await asking;
  }
}

for (const [name, notices] of [
  ["with notices", undefined],
  // In the everyday suite, the connection for notices is cut instead.
  ...(isLong ? [["without any notice", DEAF] as const] : []),
] as const) {
  describe(`another server, ${name}`, () => {
    test("serves the new files when a sync is answered", async () => {
      await using other = await otherServer(notices);
      const shop = await openSynced();
      const [path = ""] = await pathsOf(shop);
      await whileAsked(other, path, async () => {
        for (let i = 0; i < 2; i += 1) {
          shop.sells(mugs(3 + i));
          assert.equal((await shop.sync()).status, 200);

          const { headers, text } = await other.get(path);

          assert.equal(headers.etag, (await api.ask(path)).headers.etag);
          assert.ok(text.includes(`mug-00${3 + i}`));
        }
      });
    });

    test("knows the new settings of a catalog when their render is answered", async () => {
      await using other = await otherServer(notices);
      const shop = await openSynced();
      const [path = ""] = await pathsOf(shop);
      await whileAsked(other, path, async () => {
        const settings = { settings: { seller_name: "Another Seller" } };
        const headers = { authorization: `Bearer ${await adminKey(shop)}` };
        const changed = await shop.call("/api/v1/catalog/settings", {
          method: "PATCH",
          headers,
          body: settings,
        });
        assert.equal(changed.status, 200, changed.text);
        assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);

        assert.match((await other.get(path)).text, /Another Seller/);
      });
    });

    test("refuses the old URL when a rotation without overlap is answered, and takes the new one", async () => {
      await using other = await otherServer(notices);
      const shop = await openSynced();
      for (let i = 0; i < 2; i += 1) {
        const [before = ""] = await pathsOf(shop);
        await whileAsked(other, before, async () => {
          const body = { overlap_s: 0 };
          assert.equal((await shop.call("/api/v1/feeds/rotate", { method: "POST", body })).status, 200);

          assert.equal((await other.get(before)).status, 404);
          const [now = ""] = await pathsOf(shop);
          assert.equal((await other.get(now)).status, 200);
          assert.equal((await other.get(before)).status, 404);
        });
      }
    });

    test("takes both URLs during the overlap of a rotation, and the new one alone after it", async () => {
      await using other = await otherServer(notices);
      const shop = await openSynced();
      const [before = ""] = await pathsOf(shop);
      await whileAsked(other, before, async () => {
        const body = { overlap_s: 3600 };
        assert.equal((await shop.call("/api/v1/feeds/rotate", { method: "POST", body })).status, 200);
        const [now = ""] = await pathsOf(shop);
        assert.deepEqual([(await other.get(before)).status, (await other.get(now)).status], [200, 200]);

        await api.db.execute(sql`
          update catalogs set previous_feed_token_until = now() where id = ${shop.id}`);
        await publishedEverywhere();

        assert.deepEqual([(await other.get(before)).status, (await other.get(now)).status], [404, 200]);
      });
    });

    test("refuses the URLs of a catalog when its removal is answered", async () => {
      await using other = await otherServer(notices);
      const shop = await openSynced();
      const [path = ""] = await pathsOf(shop);
      await whileAsked(other, path, async () => {
        const headers = { authorization: `Bearer ${await adminKey(shop)}` };
        const body = { slug: shop.slug };
        const removed = await shop.call("/api/v1/catalog", { method: "DELETE", headers, body });
        assert.equal(removed.status, 202, removed.text);

        assert.equal((await other.get(path)).status, 404);
      });
    });
  });
}

test("a server whose notices connection is cut follows changes all the same", async () => {
  await using other = await otherServer();
  const shop = await openSynced();
  const [path = ""] = await pathsOf(shop);
  await whileAsked(other, path, async () => {
    await api.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'shelfwire-notices'`);
    shop.sells(mugs(5));
    assert.equal((await shop.sync()).status, 200);

    assert.match((await other.get(path)).text, /mug-005/);
  });
});

test("requests of unchanged files need few lookups, however many there are", async () => {
  await using other = await otherServer();
  const shop = await openSynced();
  const [path = ""] = await pathsOf(shop);
  const headers = { "if-none-match": String((await other.get(path)).headers.etag) };
  const before = other.lookups();
  const began = performance.now();

  const clients = Array.from({ length: 10 }, async () => {
    for (let i = 0; i < 20; i += 1) assert.equal((await other.get(path, { headers })).status, 304);
  });
  await Promise.all(clients);

  // One in 10 ms at most.
  const limit = 5 + (performance.now() - began) / 10;
  assert.ok(other.lookups() - before <= limit, `${other.lookups() - before} of ${limit}`);
});

test("requests for many addresses at the same time share a lookup", async () => {
  const shop = await openSynced();
  const [, , slug = "", token = "", file = ""] = (await pathsOf(shop))[0]?.split("/") ?? [];
  let lookups = 0;
  const db: Db = {
    ...api.db,
    query: async <Row>(statement: Sql) => {
      if (statement.name === "publications") lookups += 1;
      return api.db.query<Row>(statement);
    },
  };
  const feeds = publishedFeeds({ db, notices: DEAF });
  const tokenHash = hash("sha256", token, "buffer");

  const wrong = Array.from({ length: 100 }, (_, i) => feeds.find({ slug: `shop-x${i}`, tokenHash, file }));
  const found = await Promise.all([...wrong, feeds.find({ slug, tokenHash, file })]);
  feeds.close();

  assert.deepEqual(found.map((one) => one?.file).filter(Boolean), [file]);
  assert.equal(lookups, 1);
});

test("a server that has been cut off from the database for too long serves no feed", async () => {
  const shop = await openSynced();
  const [path = ""] = await pathsOf(shop);
  const [, , slug = "", token = "", file = ""] = path.split("/");
  let isAway = false;
  const db: Db = {
    ...api.db,
    query: async <Row>(statement: Sql) => {
      if (isAway) throw new AppError("database_unavailable", "away", { retryAfterS: 5 });
      return api.db.query<Row>(statement);
    },
  };
  const tokenHash = hash("sha256", token, "buffer");
  for (const maxAwayMs of [60_000, 0]) {
    isAway = false;
    const feeds = publishedFeeds({ db, notices: DEAF }, { maxAwayMs });
    assert.ok(await feeds.find({ slug, tokenHash, file }));
    isAway = true;
    await nextTurn();

    const find = async () => feeds.find({ slug, tokenHash, file });
    if (maxAwayMs === 0) await assert.rejects(find, { code: "database_unavailable" });
    else assert.equal((await find())?.file, file);
    feeds.close();
  }
});
