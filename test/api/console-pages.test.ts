/** The pages of the console, as the server answers them. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { buildApp } from "../../src/http/app.ts";
import { tempDir } from "../fresh.ts";
import { runningApi } from "./running-api.ts";

test("an address of the console that cannot be decoded is answered with the console's page, one of the API with a problem", async () => {
  await using folder = await tempDir();
  await writeFile(join(folder.path, "index.html"), "<!doctype html><title>Console</title>");
  await using api = await runningApi({ hasWorker: false });
  const app = await buildApp({ ...api.parts, consoleDir: folder.path });
  try {
    for (const path of ["/c/kiln/items/%E0%A4%A", "/c/kiln/items/50%", "/c/%zz", "/c/kiln/items/%?q=%zz"]) {
      const page = await app.inject({ url: path, headers: { accept: "text/html" } });
      assert.deepEqual(
        [page.statusCode, page.headers["content-type"]],
        [404, "text/html; charset=utf-8"],
        path,
      );
      assert.match(page.body, /<title>Console/);
    }
    for (const path of ["/api/v1/items/50%", "/f/kiln/%zz/acp.csv"]) {
      const problem = await app.inject(path);
      assert.equal(problem.statusCode, 400, path);
      assert.match(String(problem.headers["content-type"]), /^application\/problem\+json/);
      assert.match(problem.json<{ detail: string }>().detail, /a % that is not followed by/);
    }
  } finally {
    await app.close();
  }
});
