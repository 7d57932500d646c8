/** The command line from outside: arguments in; data, messages and an exit status out. */
import assert from "node:assert/strict";
import { FEED_FILES } from "../channels/registry.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { until } from "../../test/actions.ts";
import { article, articles, openShop } from "../../test/fakes/shop.ts";
import { closeAfterTests } from "../../test/close-after.ts";
import { commandLine } from "../../test/command-line.ts";
import { tempDir } from "../../test/fresh.ts";
import { isUuid, newId } from "../lib/id.ts";
import { ERRORS } from "../errors.ts";

const home = closeAfterTests(await commandLine());
const { env, run } = home;
const shop = closeAfterTests(await openShop());

/** Runs a command that must succeed, and reads what it printed: one JSON value on one line, and no talk. */
async function data<T>(...line: readonly string[]): Promise<T> {
  const { status, out, talk } = await run([...line, "--json"]);
  assert.deepEqual({ status, talk }, { status: 0, talk: "" });
  assert.match(out, /^[^\n]+\n$/);
  return JSON.parse(out) as T;
}

type Failure = { code: string; message: string; errors: { pointer: string }[]; run_id?: string };

/** Runs a command that must fail, and reads its failure. */
async function failure(...line: readonly string[]): Promise<{ status: number; error: Failure }> {
  const { status, out } = await run([...line, "--json"]);
  assert.match(out, /^[^\n]+\n$/);
  return { status, error: (JSON.parse(out) as { error: Failure }).error };
}

let slugs = 0;
async function newCatalog(): Promise<string> {
  slugs += 1;
  const slug = `shop-${slugs}`;
  await data("catalog", "create", "--slug", slug, "--name", `Shop ${slugs}`, "--currency", "USD");
  return slug;
}

const addFeed = (slug: string, ...more: readonly string[]): string[] =>
  ["source", "add", "--catalog", slug, "--kind", "feed_url", "--set", `url=${shop.url}`].concat(more);

async function newSource(slug: string, ...more: readonly string[]): Promise<string> {
  return (await data<{ id: string }>(...addFeed(slug, ...more))).id;
}

describe("catalog", () => {
  test("create prints id, slug, name and the feed URLs", async () => {
    type Made = { id: string; feeds: string[] };
    const made = await data<Made>(
      "catalog",
      "create",
      "--slug",
      "exact",
      "--name",
      "Exact & Co",
      "--currency",
      "USD",
    );
    const { out } = await run(["catalog", "list"]);

    assert.deepEqual(made, { id: made.id, slug: "exact", name: "Exact & Co", feeds: made.feeds });
    assert.equal(made.feeds.length, 4);
    for (const url of made.feeds) assert.ok(out.includes(`\n  ${url}\n`), url);
    assert.ok(isUuid(made.id));
  });

  test("create stores the settings of the shop", async () => {
    const line = "catalog create --slug told --name Told --currency EUR --country NO --seller-name Seller";
    await data(...line.split(" "), "--store-url", "https://shop.example/");
    const { catalogs } = await data<{ catalogs: { slug: string; feeds: string[] }[] }>("catalog", "list");

    const told = catalogs.find(({ slug }) => slug === "told");
    assert.deepEqual(
      told?.feeds.map((url) => url.replace(/\/[0-9A-Za-z]{32}\//, "/TOKEN/")),
      ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"].map((f) => `https://feeds.example/f/told/TOKEN/${f}`),
    );
    assert.deepEqual(Object.keys(told ?? {}), ["id", "slug", "name", "items", "feeds"]);
  });

  test("create refuses a slug that is taken, and lists all problems of an invalid one", async () => {
    const slug = await newCatalog();

    const taken = await failure("catalog", "create", "--slug", slug, "--name", "Again", "--currency", "USD");
    const wrong = await failure("catalog", "create", "--slug", "Not One", "--name", "", "--currency", "XXQ");

    assert.deepEqual([taken.status, taken.error.code], [1, "conflict"]);
    assert.deepEqual([wrong.status, wrong.error.code], [2, "invalid_request"]);
    assert.deepEqual(
      wrong.error.errors.map(({ pointer }) => pointer),
      ["--slug", "--name", "--currency"],
    );
  });

  test("create asks for a currency unless the country has one, and update can clear it back to that", async () => {
    const create = (slug: string, ...more: readonly string[]) =>
      ["catalog", "create", "--slug", slug, "--name", "Shop", ...more] as const;
    const none = await run(create("unpaid"));
    const several = await failure(...create("unpaid", "--country", "PA"));
    await data(...create("paid", "--country", "DE"));
    type Changed = { settings: { currency: string } };
    const update = ["catalog", "update", "--slug", "paid", "--currency"];
    const changed = await data<Changed>(...update, "CHF");
    const cleared = await data<Changed>(...update, "");
    const refused = await failure(...update, "", "--country", "");

    assert.equal(none.status, 2);
    assert.match(
      none.talk,
      /--currency must be set, such as USD, or the country, such as US: prices without a currency could not be read\./,
    );
    assert.deepEqual(
      several.error.errors.map(({ pointer }) => pointer),
      ["--currency"],
    );
    assert.match(several.error.message, /the country PA does not say which one the shop uses/);
    assert.deepEqual([changed.settings.currency, cleared.settings.currency], ["CHF", "EUR"]);
    assert.deepEqual([refused.status, refused.error.code], [2, "invalid_request"]);
  });

  test("update leaves the incomplete items of a channel out", async () => {
    const slug = await newCatalog();
    const update = ["catalog", "update", "--slug", slug, "--incomplete-items"];

    const { settings } = await data<{ settings: Record<string, unknown> }>(
      ...update,
      "google=leave_out, openai=write",
    );
    const wrong = await failure(...update, "google");

    assert.deepEqual(settings["incompleteItems"], { google: "leave_out", openai: "write" });
    assert.deepEqual([wrong.status, wrong.error.errors[0]?.pointer], [2, "--incomplete-items"]);
  });

  test("list is a table for people", async () => {
    const slug = await newCatalog();

    const { status, out, talk } = await run(["catalog", "list"]);

    assert.deepEqual([status, talk], [0, ""]);
    assert.match(out, /^SLUG +NAME +ITEMS +ID\n/);
    assert.match(out, new RegExp(`^${slug} +Shop \\d+ +0 +[0-9a-f-]{36}$`, "m"));
  });
});

describe("key", () => {
  test("create prints exactly id, key and scopes", async () => {
    const slug = await newCatalog();

    const made = await data<{ id: string; key: string }>(
      "key",
      "create",
      "--catalog",
      slug,
      "--scopes",
      "write, read",
    );

    assert.deepEqual(made, { id: made.id, key: made.key, scopes: ["read", "write"] });
    assert.match(made.key, /^sw_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}$/);
  });

  test("list shows keys by their handles and never a secret; revoke ends one immediately and permanently", async () => {
    const slug = await newCatalog();
    const { id, key } = await data<{ id: string; key: string }>(
      "key",
      "create",
      "--catalog",
      slug,
      "--scopes",
      "read",
      "--name",
      "shop window",
      "--expires",
      "2999-01-31",
    );
    const [, handle, secret = ""] = key.split("_");

    const listed = await run(["key", "list", "--catalog", slug, "--json"]);
    const revoked = await data("key", "revoke", id);
    const again = await failure("key", "revoke", id);
    const { keys } = await data<{ keys: { state: string }[] }>("key", "list", "--catalog", slug);

    const [shown] = (JSON.parse(listed.out) as { keys: Record<string, unknown>[] }).keys;
    assert.deepEqual(shown, {
      id,
      name: "shop window",
      key: `sw_${handle}_…`,
      scopes: ["read"],
      state: "live",
      created_at: shown?.["created_at"],
      expires_at: "2999-01-31T00:00:00.000Z",
      last_used_at: null,
    });
    assert.equal(listed.out.includes(secret), false);
    assert.deepEqual(revoked, { id, revoked: true });
    assert.deepEqual([again.status, again.error.code], [2, "not_found"]);
    assert.equal(keys[0]?.state, "revoked");
  });

  test("refuses unknown scopes, past times, and unknown catalogs and keys", async () => {
    const slug = await newCatalog();
    const create = ["key", "create", "--catalog", slug, "--scopes"];

    const cases: readonly (readonly [readonly string[], string])[] = [
      [[...create, "owner"], "invalid_request"],
      [[...create, ""], "invalid_request"],
      [[...create, "read", "--expires", "2001-01-01"], "invalid_request"],
      [[...create, "read", "--expires", "soon"], "invalid_request"],
      [["key", "create", "--catalog", "nowhere", "--scopes", "read"], "not_found"],
      [["key", "list", "--catalog", "nowhere"], "not_found"],
      [["key", "revoke", newId()], "not_found"],
      [["key", "revoke", "not-an-id"], "not_found"],
    ];
    for (const [line, code] of cases) {
      const { status, error } = await failure(...line);
      assert.deepEqual([status, error.code], [2, code], line.join(" "));
    }
  });
});

describe("source", () => {
  test("add prints exactly id and kind", async () => {
    const slug = await newCatalog();

    const made = await data<{ id: string }>(...addFeed(slug));

    assert.deepEqual(made, { id: made.id, kind: "feed_url" });
    assert.ok(isUuid(made.id));
  });

  test("list shows settings and never secrets; a value may contain an equals sign", async () => {
    const slug = await newCatalog();
    const line =
      "--name Outlet --interval 90m --max-removed-ratio 0.25 --set username=u --set password=p=w==";
    const id = await newSource(slug, ...line.split(" "));

    const { out } = await run(["source", "list", "--catalog", slug, "--json"]);

    const [source] = (JSON.parse(out) as { sources: Record<string, unknown>[] }).sources;
    assert.deepEqual(source, {
      id,
      kind: "feed_url",
      name: "Outlet",
      settings: { url: shop.url, format: "auto", username: "u" },
      enabled: true,
      interval_s: 5_400,
      max_removed_ratio: 0.25,
      next_sync_at: source?.["next_sync_at"],
      items: 0,
      last_run: null,
    });
    assert.equal(out.includes("p=w=="), false);
  });

  test("test shows the result for the first rows, and changes nothing", async () => {
    shop.stock([article("a"), article("b", { price: "" })]);
    const slug = await newCatalog();
    const id = await newSource(slug);

    const sampled = await data<Record<string, unknown[]>>("source", "test", id);
    const { out } = await run(["source", "test", id]);
    const { sources } = await data<{ sources: { items: number }[] }>("source", "list", "--catalog", slug);

    assert.deepEqual([sampled["items"]?.length, sampled["rejections"]?.length], [1, 1]);
    assert.match(out, /^a +Article a +10\.00 USD +in_stock$/m);
    assert.match(out, /rejected: item 2: .*\(missing_price\)/);
    assert.match(out, /1 good, 1 rejected, \d+ warnings in the whole source\.\n$/);
    assert.equal(sources[0]?.items, 0);
  });

  test("remove prints how many items were removed, and a removed source is unknown", async () => {
    shop.stock(articles(3));
    const id = await newSource(await newCatalog());
    await data("sync", "--source", id);

    const removed = await data("source", "remove", id, "--items", "remove");
    const again = await failure("source", "remove", id, "--items", "remove");

    assert.deepEqual(removed, { id, removed: true, items_removed: 3, items_kept: 0 });
    assert.deepEqual([again.status, again.error.code], [2, "unknown_source"]);
  });

  test("remove can keep the items; without a choice it is refused", async () => {
    shop.stock(articles(3));
    const id = await newSource(await newCatalog());
    await data("sync", "--source", id);

    assert.equal((await failure("source", "remove", id)).status, 2);
    const { status, out } = await run(["source", "remove", id, "--items", "keep"]);

    assert.deepEqual([status, out], [0, `Removed source ${id}; its 3 items stay.\n`]);
  });

  test("refuses invalid settings, and names them", async () => {
    const slug = await newCatalog();
    const add = ["source", "add", "--catalog", slug, "--kind", "feed_url"];
    const good = [...add, "--set", "url=https://shop.example/f.csv"];

    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [add, 4, "source_settings_invalid"],
      [[...add, "--set", "url"], 2, "invalid_request"],
      [[...add, "--set", "=x"], 2, "invalid_request"],
      [[...good, "--interval", "often"], 2, "invalid_request"],
      [[...good, "--interval", "4m"], 2, "invalid_request"],
      [[...good, "--interval", "8d"], 2, "invalid_request"],
      [["source", "remove", newId(), "--items", "burn"], 2, "invalid_request"],
      [[...good, "--max-removed-ratio", "half"], 2, "invalid_request"],
      [[...good, "--max-removed-ratio", ""], 2, "invalid_request"],
      [["source", "add", "--catalog", slug, "--kind", "pigeon"], 4, "source_settings_invalid"],
      [["source", "add", "--catalog", "nowhere", "--kind", "feed_url"], 2, "not_found"],
      [["source", "test", "not-an-id"], 2, "unknown_source"],
    ];
    for (const [line, status, code] of cases) {
      const got = await failure(...line);
      assert.deepEqual([got.status, got.error.code], [status, code], line.join(" "));
    }
    assert.deepEqual((await data<{ sources: [] }>("source", "list", "--catalog", slug)).sources, []);
  });
});

describe("sync and render", () => {
  test("work without a server: they do the work themselves and print the numbers", async () => {
    shop.stock([article("a"), article("b", { price: "" })]);
    const slug = await newCatalog();
    const id = await newSource(slug);

    const synced = await data<{ run_id: string; stats: Record<string, unknown> }>("sync", "--source", id);
    const rendered = await data<{ run_id: string; stats: Record<string, unknown> }>(
      "render",
      "--catalog",
      slug,
    );

    assert.deepEqual(Object.keys(synced), ["run_id", "stats", "render", "feeds"]);
    const { seen, upserted, unchanged, rejected } = synced.stats;
    assert.deepEqual(
      { seen, upserted, unchanged, rejected },
      { seen: 2, upserted: 1, unchanged: 0, rejected: 1 },
    );
    assert.deepEqual(Object.keys(rendered), ["run_id", "stats"]);
    assert.equal(rendered.stats["items"], 1);
    assert.ok(isUuid(synced.run_id) && isUuid(rendered.run_id));
  });

  test("render keeps what did not change; --verify compares it with a complete render, --full makes one", async () => {
    type Verified = { verified: { file: string; isSame: boolean }[]; stats: { base: string } };
    const rows = Array.from({ length: 30 }, (_, at) => article(`item-${at}`));
    shop.stock(rows);
    const slug = await newCatalog();
    const id = await newSource(slug);
    await data("sync", "--source", id);
    shop.stock([...rows.slice(1), article("another")]);
    await data("sync", "--source", id);

    const kept = await data<Verified>("render", "--catalog", slug, "--verify");
    const full = await data<Verified>("render", "--catalog", slug, "--full", "--verify");

    for (const option of ["--full", "--verify"])
      assert.equal((await run(["render", "--catalog", slug, "--out", "x", option])).status, 2);
    assert.notEqual(full.stats.base, kept.stats.base);
    for (const { verified } of [kept, full])
      assert.deepEqual(
        verified.map(({ file, isSame }) => [file, isSame]),
        [...FEED_FILES].map((file) => [file, true]),
      );
  });

  test("write the files of a catalog into a folder, and publish nothing", async () => {
    await using dir = await tempDir();
    shop.stock([article("a"), article("b")]);
    const slug = await newCatalog();
    await data("sync", "--source", await newSource(slug));
    const renders = async () =>
      (await data<{ runs: unknown[] }>("runs", "list", "--catalog", slug)).runs.length;
    const before = await renders();

    const all = await data<{ items: number }>("render", "--catalog", slug, "--out", dir.path);
    const one = await data<{ items: number; files: Record<string, unknown> }>(
      "render",
      "--catalog",
      slug,
      "--out",
      join(dir.path, "xml"),
      "--channel",
      "google-xml",
    );

    assert.deepEqual([all.items, one.items, Object.keys(one.files)], [2, 2, ["gmc.xml"]]);
    assert.deepEqual(await readdir(join(dir.path, "xml")), ["gmc.xml"]);
    assert.deepEqual((await readdir(dir.path)).sort(), [
      "acp.csv",
      "acp.json",
      "gmc.tsv",
      "jsonld.json",
      "xml",
    ]);
    assert.equal(await renders(), before);
  });

  test("read an unchanged file again after the catalog's settings have changed", async () => {
    shop.stock([...articles(6, { link: "/p/x" }), article("whole")]);
    const slug = await newCatalog();
    const id = await newSource(slug);
    const warnings = async () =>
      (await data<{ stats: { warning_codes: object } }>("sync", "--source", id)).stats.warning_codes;

    const before = await warnings();
    await data("catalog", "update", "--slug", slug, "--store-url", "https://shop.example");

    assert.deepEqual([before, await warnings()], [{ invalid_url: 6 }, {}]);
  });

  test("print the same as sentences without --json", async () => {
    shop.stock([article("a"), article("b", { price: "" })]);
    const slug = await newCatalog();
    const id = await newSource(slug);

    const synced = await run(["sync", "--source", id]);
    const rendered = await run(["render", "--catalog", slug]);

    assert.deepEqual([synced.status, synced.talk, rendered.talk], [0, "", ""]);
    assert.match(
      synced.out,
      /^2 seen: 1 stored, 0 unchanged, 1 rejected; 0 removed, \d+ warnings?\.\n {2}rejected: item 2/,
    );
    assert.match(rendered.out, /^1 item rendered\.\n(?: {2}[\w.]+: 1 item\n){4}$/);
  });

  test("fail with the exit status of the reason and the run id; the log goes to standard error", async () => {
    const id = await newSource(await newCatalog());
    const statuses: readonly (readonly [number, string, number])[] = [
      [404, "source_not_found", 5],
      [401, "source_unauthorized", 3],
    ];
    for (const [answer, code, exit] of statuses) {
      shop.breakDown(answer);
      const failed = await failure("sync", "--source", id);
      const told = await run(["sync", "--source", id]);

      assert.deepEqual([failed.status, failed.error.code], [exit, code]);
      assert.ok(isUuid(failed.error.run_id ?? ""));
      assert.deepEqual([told.status, told.out], [exit, ""]);
      assert.match(told.talk, new RegExp(`\\(${code}\\)\\n$`));
    }
  });

  test("refuse unknown catalogs and sources", async () => {
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["sync", "--source", newId()], "unknown_source"],
      [["sync", "--source", "not-an-id"], "unknown_source"],
      [["render", "--catalog", "nowhere"], "not_found"],
    ];
    for (const [line, code] of cases) {
      const { status, error } = await failure(...line);
      assert.deepEqual([status, error.code], [2, code]);
    }
  });

  test("show progress on a terminal, and clear it at the end", async () => {
    shop.stock(articles(2));
    const id = await newSource(await newCatalog());
    const hold = shop.holdNext();
    const printed: string[] = [];
    const running = run(["sync", "--source", id], { isTerminal: true, onTalk: (text) => printed.push(text) });

    await hold.reached;
    await until(async () => printed.some((text) => text.includes("sync running")), "a progress line");
    hold.release();
    const { status, out, talk } = await running;

    assert.equal(status, 0);
    assert.match(out, /^2 seen/);
    assert.ok(talk.endsWith("\r\u001b[K"));
  });
});

describe("misuse", () => {
  const wrong: readonly (readonly string[])[] = [
    [],
    ["bake"],
    ["catalog"],
    ["catalog", "bake"],
    ["catalog", "list", "--colour"],
    ["--colour", "catalog", "list"],
    ["catalog", "create", "--slug", "no-name"],
    ["catalog", "list", "superfluous"],
    ["key", "revoke"],
    ["sync"],
  ];
  for (const line of wrong) {
    test(`"${line.join(" ")}" ends with 2, says why on standard error and leaves standard output empty`, async () => {
      const { status, out, talk } = await run(line);

      assert.deepEqual([status, out], [2, ""]);
      assert.notEqual(talk, "");
    });

    test(`"${line.join(" ")} --json" ends with 2 and a failure that a program can read`, async () => {
      const { status, error } = await failure(...line);

      assert.deepEqual([status, error.code], [2, "invalid_request"]);
      assert.match(error.message, /\w/);
    });
  }

  test("help goes to standard output, and ends with 0", async () => {
    for (const line of [["--help"], ["source", "add", "--help"], ["help", "sync"]]) {
      const { status, out, talk } = await run(line);
      assert.deepEqual([status, talk], [0, ""], line.join(" "));
      assert.match(out, /^Usage: shelfwire/);
    }
  });

  test("--json means the same before the command and after it", async () => {
    const slug = await newCatalog();

    const before = await run(["--json", "source", "list", "--catalog", slug]);
    const behind = await run(["source", "list", "--catalog", slug, "--json"]);

    assert.deepEqual(before, behind);
    assert.deepEqual(JSON.parse(before.out), { sources: [] });
  });
});

describe("settings", () => {
  const broken = { PORT: "http", LOG_LEVEL: "loud", DATABASE_URL: "postgres://u:p@127.0.0.1/shop" };

  test("that are wrong are all listed at once, before anything is opened", async () => {
    const { status, out, talk } = await run(["catalog", "list"], { env: broken });

    assert.deepEqual([status, out], [4, ""]);
    for (const name of ["PORT", "LOG_LEVEL", "SECRET_KEY"])
      assert.match(talk, new RegExp(`^  ${name} `, "m"));
  });

  test("that are wrong are listed for programs too", async () => {
    const { status, out } = await run(["catalog", "list", "--json"], { env: broken });

    const { error } = JSON.parse(out) as { error: Failure };
    assert.deepEqual([status, error.code], [4, "config_invalid"]);
    assert.deepEqual(error.errors.map(({ pointer }) => pointer).sort(), ["LOG_LEVEL", "PORT", "SECRET_KEY"]);
  });

  test("that lead to no database end with 5 and one sentence", async () => {
    const unreachable = { ...env, DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/shop" };

    const { status, out, talk } = await run(["catalog", "list"], { env: unreachable });

    assert.deepEqual([status, out], [5, ""]);
    assert.match(talk, /database_unavailable/);
    assert.doesNotMatch(talk, /hunter2/);
  });

  test("another SECRET_KEY is refused with a message that says so", async () => {
    await newCatalog();
    const other = { ...env, SECRET_KEY: "another key, just as long as the first" };

    const { status, talk } = await run(["catalog", "list"], { env: other });

    assert.equal(status, 4);
    assert.match(talk, /SECRET_KEY/);
  });
});

test("migrate may be run any number of times", async () => {
  assert.deepEqual(await data("migrate"), { migrated: true });
  assert.deepEqual(await data("migrate"), { migrated: true });
});

test("every failure has an exit status from 1 to 5", () => {
  for (const { exit } of Object.values(ERRORS)) assert.ok(exit >= 1 && exit <= 5);
});
