import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loopback } from "./outbound/loopback.fixture.ts";
import { tempDir } from "../../test/fresh.ts";
import { withBundledFiles } from "./bundled-files.ts";
import { testClient } from "./outbound/http-client.fixture.ts";

async function bundledFolder() {
  const temp = await tempDir();
  const folder = join(temp.path, "sample");
  await mkdir(join(folder, "inner"), { recursive: true });
  await writeFile(join(folder, "shop.csv"), "id,title\n1,Lamp\n");
  await writeFile(join(temp.path, "secret.key"), "not for you");
  return { folder, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

const signal = new AbortController().signal;

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

test("a sample: URL returns the bundled file of that name", async () => {
  await using given = await bundledFolder();
  await using client = testClient();
  const http = withBundledFiles(client, given.folder);

  const answer = await http.request({ url: "sample:shop.csv", signal });

  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-length"], "16");
  assert.equal(answer.url, "sample:shop.csv");
  assert.equal(await textOf(answer.body), "id,title\n1,Lamp\n");
});

test("no URL leads out of the folder, or to anything but a file", async () => {
  await using given = await bundledFolder();
  await using client = testClient();
  const http = withBundledFiles(client, given.folder);

  const names = [
    "../secret.key",
    "..",
    ".",
    "",
    "inner/../../secret.key",
    "/etc/passwd",
    "missing.csv",
    "inner",
    "shop.csv\0",
  ];
  for (const name of names) {
    const answer = await http.request({ url: `sample:${name}`, signal });
    assert.equal(answer.status, 404, name);
    assert.equal(await textOf(answer.body), "");
  }
});

test("a response that is not read is closed", async () => {
  await using given = await bundledFolder();
  await using client = testClient();
  const http = withBundledFiles(client, given.folder);

  const answer = await http.request({ url: "sample:shop.csv", signal });
  answer.discard();

  await assert.rejects(textOf(answer.body));
});

test("every other URL is requested over the network", async () => {
  await using given = await bundledFolder();
  await using shop = await loopback((_request, response) => response.end("from the network"));
  await using client = testClient();
  const http = withBundledFiles(client, given.folder);

  const answer = await http.request({ url: `${shop.origin}/feed.csv`, signal });

  assert.equal(await textOf(answer.body), "from the network");
});
