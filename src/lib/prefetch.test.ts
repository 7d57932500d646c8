import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { prefetch } from "./prefetch.ts";

function pagesOf(count: number) {
  const seen = { asked: 0, isClosed: false };
  async function* pages() {
    try {
      for (let page = 1; page <= count; page += 1) {
        seen.asked = page;
        await turn();
        if (page === 5) throw new Error("page 5 is broken");
        yield page;
      }
    } finally {
      seen.isClosed = true;
    }
  }
  return { seen, pages };
}

test("all pages are returned in order", async () => {
  const { pages, seen } = pagesOf(4);

  assert.deepEqual(await Array.fromAsync(prefetch(pages())), [1, 2, 3, 4]);
  assert.ok(seen.isClosed);
});

test("while the reader has a page, the next one is requested, and no other", async () => {
  const { pages, seen } = pagesOf(4);
  await using ahead = prefetch(pages());

  await ahead.next();
  for (let i = 0; i < 20; i += 1) await turn();

  assert.equal(seen.asked, 2);
});

test("a page that fails throws after the pages before it", async () => {
  const { pages } = pagesOf(9);
  const got: number[] = [];

  await assert.rejects(async () => {
    for await (const page of prefetch(pages())) got.push(page);
  }, /page 5/);

  assert.deepEqual(got, [1, 2, 3, 4]);
});

test("a reader that stops closes the pages, even if the next one fails", async () => {
  const { pages, seen } = pagesOf(9);

  for await (const page of prefetch(pages())) if (page === 4) break;

  assert.ok(seen.isClosed);
});
