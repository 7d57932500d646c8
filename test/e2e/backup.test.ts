/** A backup of a running server with its own database, restored into a new data folder. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readFeeds } from "../actions.ts";
import { tempDir } from "../fresh.ts";
import { dataFolder } from "./embedded-holder.ts";
import { command, data, freePort, leftRunning, startService } from "./program.ts";

test("a backup of a running server, restored into a new folder, serves the same feeds at the same URLs to the same key", async () => {
  await using first = await dataFolder();
  await using second = await dataFolder();
  await using files = await tempDir();
  const file = join(files.path, "all.backup");
  const port = String(await freePort());
  const env = { DATA_DIR: first.path, PORT: port, XDG_STATE_HOME: files.path };
  const moved = { ...env, DATA_DIR: second.path };

  const { key, feeds, urls } = await (async () => {
    await using service = await startService(env);
    const made = ["key", "create", "--catalog", "demo", "--scopes", "read,write"];
    const { key } = await data<{ key: string }>(env, ...made);
    // From elsewhere, without DATA_DIR or PORT: the running server is found, and its URLs are the ones shown.
    const { catalogs } = await data<{ catalogs: { feeds: string[] }[] }>(
      { XDG_STATE_HOME: files.path },
      "catalog",
      "list",
    );
    await data(env, "backup", file, "--with-secret-key");
    const feeds = await readFeeds(service, { key });
    service.signalAll("SIGINT");
    await service.ended;
    return { key, feeds, urls: catalogs[0]?.feeds ?? [] };
  })();
  const restored = await command(moved, "restore", file);
  assert.deepEqual([restored.status, await leftRunning(second.path)], [0, []], restored.talk);

  await using service = await startService(moved);
  const again = await readFeeds(service, { key });
  const refused = await command(moved, "restore", file, "--force");
  for (const url of urls) assert.equal((await fetch(url)).status, 200, url);
  assert.equal(urls.length, 4);
  for (const [name, { text }] of Object.entries(feeds.files))
    assert.equal(again.files[name]?.text, text, name);
  assert.equal(refused.status, 1);
  assert.match(refused.talk, /Stop it, then restore/);
});
