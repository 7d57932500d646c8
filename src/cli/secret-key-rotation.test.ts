/** Rotation of SECRET_KEY: afterwards the new key decrypts every value, and the old one none. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import type { CommandLine } from "../../test/command-line.ts";
import { freshDb, tempDir } from "../../test/fresh.ts";
import type { Disposable } from "../../test/fresh.ts";
import { createEncryption } from "../lib/encryption.ts";
import { createCatalog } from "../setup/catalogs.ts";
import { openDb } from "../store/db.ts";
import type { Db } from "../store/db.ts";
import { listenForNotices } from "../store/notices.ts";
import { ENCRYPTED_COLUMNS } from "../store/encrypted-columns.ts";
import { finishKeyRotation, hasNextKey, secretKeyOf, stageSecretKey } from "./secret-key.ts";

const NEW_KEY = "another key for tests, long enough as well";

let home: Disposable<CommandLine>;
let db: Db;
before(async () => {
  home = await commandLine();
  const target = { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  db = openDb(target, { max: 2, name: "shelfwire-test" });
});
after(async () => {
  await db.close();
  await home[Symbol.asyncDispose]();
});

async function encryptedValues(): Promise<readonly { encrypted: Buffer; purpose: string; column: string }[]> {
  const values = [];
  for (const { table, column, purpose } of ENCRYPTED_COLUMNS) {
    const text = `select ${column} as encrypted from ${table} where ${column} is not null`;
    for (const { encrypted } of await db.query<{ encrypted: Buffer }>({ text, values: [] }))
      values.push({ encrypted, purpose, column: `${table}.${column}` });
  }
  return values;
}

function opened(key: string, { encrypted, purpose }: { encrypted: Buffer; purpose: string }): string | null {
  try {
    return createEncryption(key).decrypt(encrypted, purpose);
  } catch {
    return null;
  }
}

test("the rotation covers every column with encrypted values", async () => {
  await using fresh = await freshDb();
  const columns = await fresh.query<{ name: string }>({
    text: `select table_name || '.' || column_name as name from information_schema.columns
            where table_schema = current_schema() and column_name like '%sealed%' order by 1`,
    values: [],
  });

  assert.deepEqual(
    columns.map(({ name }) => name),
    ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
  );
});

test("with SECRET_KEY set: everything is encrypted with the key of the file, and the same secrets are in it", async () => {
  await using folder = await tempDir();
  const file = join(folder.path, "new.key");
  await writeFile(file, `${NEW_KEY}\n`);
  const old = home.env["SECRET_KEY"] ?? "";
  await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  const source = ["source", "add", "--catalog", "shop", "--kind", "feed_url"];
  await home.data(
    ...source,
    "--set",
    "url=https://127.0.0.1/f.csv",
    "--set",
    "username=me",
    "--set",
    "password=pass-word",
  );
  const hook = await home.data<{ id: string }>(
    "webhook",
    "add",
    "http://127.0.0.1/x?token=abc",
    "--catalog",
    "shop",
  );
  await home.data("webhook", "rotate", hook.id, "--catalog", "shop");
  const sftp = ["host=127.0.0.1", "user=me", "password=pass-word"].flatMap((pair) => ["--set", pair]);
  await home.data("destination", "add", "--catalog", "shop", "--kind", "sftp", ...sftp);
  // As a render leaves it.
  await db.execute({
    text: `insert into webhook_events (catalog_id, id, type, payload, feed_token_sealed, created_at)
           select id, gen_random_uuid(), 'feeds.rendered', '{}', feed_token_sealed, now() from catalogs`,
    values: [],
  });
  await db.execute({
    text: `insert into shop_webhooks (id, source_id, kind, settings, secrets_sealed, secret_sealed, status)
           select gen_random_uuid(), s.id, s.kind, '{}', s.secrets_sealed, e.secret_sealed, 'active'
             from sources s, webhook_endpoints e`,
    values: [],
  });
  const before = (await encryptedValues()).map((value) => opened(old, value));
  assert.equal(before.length, ENCRYPTED_COLUMNS.length);

  const missing = await home.run(["secret-key", "rotate"]);
  const done = await home.data<{ values: number }>("secret-key", "rotate", "--new-key-file", file);
  const again = await home.data<{ values: number }>("secret-key", "rotate", "--new-key-file", file);

  assert.match(missing.talk, /--new-key-file/);
  assert.deepEqual([done.values, again.values], [ENCRYPTED_COLUMNS.length, 0]);
  const values = await encryptedValues();
  assert.deepEqual(
    values.map((value) => opened(NEW_KEY, value)),
    before,
  );
  assert.deepEqual(
    values.map((value) => opened(old, value)),
    before.map(() => null),
  );
  const env = { ...home.env, SECRET_KEY: NEW_KEY };
  const listed = await home.run(["catalog", "list", "--json"], { env });
  assert.equal(listed.status, 0, listed.talk);
  const { changes } = JSON.parse((await home.run(["changes", "--json"], { env })).out) as {
    changes: { call: string }[];
  };
  assert.equal(changes[0]?.call, "secret-key rotate");
});

test("a rotation is refused while anything runs on the database, and for a key that is too short", async () => {
  await using folder = await tempDir();
  const [file, short] = [join(folder.path, "new.key"), join(folder.path, "short.key")];
  await writeFile(file, NEW_KEY);
  await writeFile(short, "too short");
  await home.run(["migrate"]);
  const notices = await listenForNotices(db.target);

  const refused = await home.run(["secret-key", "rotate", "--new-key-file", file]);
  await notices.close();
  const tooShort = await home.run(["secret-key", "rotate", "--new-key-file", short]);

  assert.match(refused.talk, /Stop it on all machines/);
  assert.match(tooShort.talk, /32 characters/);
});

test("a value that cannot be decrypted stops the rotation before anything is changed", async () => {
  await using folder = await tempDir();
  await using own = await commandLine();
  const file = join(folder.path, "new.key");
  await writeFile(file, NEW_KEY);
  await own.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  await own.data("webhook", "add", "http://127.0.0.1/x", "--catalog", "shop");
  const target = { connectionString: own.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const theirs = openDb(target, { max: 1, name: "shelfwire-test" });
  await theirs.execute({ text: "update webhook_endpoints set secret_sealed = '\\x01'", values: [] });
  await theirs.close();

  const refused = await own.run(["secret-key", "rotate", "--new-key-file", file]);

  assert.match(refused.talk, /webhook_endpoints\.secret_sealed/);
  assert.equal((await own.run(["catalog", "list"])).status, 0);
});

test("after an interruption before or after the transaction, the key file that decrypts the data is used", async () => {
  await using fresh = await freshDb();
  await using folder = await tempDir();
  const dataDir = folder.path;
  const present = await secretKeyOf(dataDir);
  await createCatalog(fresh, createEncryption(present), {
    slug: "shop",
    name: "Shop",
    settings: { currency: "USD" },
  });

  await stageSecretKey(dataDir, NEW_KEY);
  await finishKeyRotation(dataDir, fresh);
  assert.deepEqual([await secretKeyOf(dataDir), hasNextKey(dataDir)], [present, true]);

  await createCatalog(fresh, createEncryption(NEW_KEY), {
    slug: "encrypted-anew",
    name: "Shop",
    settings: { currency: "USD" },
  });
  await fresh.execute({ text: "delete from catalogs where slug = 'shop'", values: [] });
  await Promise.all([1, 2, 3].map(async () => finishKeyRotation(dataDir, fresh)));

  assert.deepEqual([await secretKeyOf(dataDir), hasNextKey(dataDir)], [NEW_KEY, false]);
  assert.equal((await readFile(join(dataDir, "secret.key.previous"), "utf8")).trim(), present);
});
