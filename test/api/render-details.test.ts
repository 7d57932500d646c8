/** Renders by page and by id: what is in each file, and every item that is not, with the reason. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import type { RefusalsAnswer, RenderDetail, RendersAnswer } from "../../src/contract/renders.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { allPages, dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { failRenders, allowRenders } from "./renders.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

type Renders = Wire<typeof RendersAnswer>["data"];
type Refusals = Wire<typeof RefusalsAnswer>["data"];

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

/** Google takes ids of up to 50 characters. */
const longIds = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `${"x".repeat(110)}${String(i).padStart(4, "0")}` }));

async function listed(shop: Shop, query = ""): Promise<Renders> {
  const answer = await shop.call(`/api/v1/renders${query}`);
  assertDescribed("GET /api/v1/renders", answer);
  return dataOf<Renders>(answer);
}

test("renders are listed newest first, in pages, with the size and the items of every file", async () => {
  const shop = await api.openShop(mugs(2));
  assert.deepEqual(await listed(shop), { renders: [], next_cursor: null });
  await shop.sync();
  for (let i = 0; i < 2; i += 1) await shop.call("/api/v1/feeds", { method: "POST" });
  await failRenders(api.db, "listed");
  await shop.call("/api/v1/feeds", { method: "POST" });
  await allowRenders(api.db, "listed");

  const { renders } = await listed(shop);

  assert.deepEqual(
    renders.map(({ status, is_published, cause, items, files }) => [
      status,
      is_published,
      cause,
      items,
      files.length,
    ]),
    [
      ["failed", false, "request", 0, 0],
      ["succeeded", true, "request", 2, 4],
      ["succeeded", false, "request", 2, 4],
      ["succeeded", false, "sync", 2, 4],
    ],
  );
  assert.equal(renders[0]?.error?.code, "render_failed");
  const gmc = renders[3]?.files.find(({ file }) => file === "gmc.tsv");
  assert.deepEqual([gmc?.written, gmc?.excluded, gmc?.changed], [2, 0, true]);
  assert.equal(gmc?.bytes, (await shop.fetch("gmc.tsv")).bytes.length);
  const first = await listed(shop, "?limit=3");
  const second = await listed(shop, `?limit=3&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.renders, ...second.renders], renders);
  assert.equal(second.next_cursor, null);
});

test("a render has the reasons of refusals for each file, with counts and advice", async () => {
  const shop = await api.openShop([...mugs(2), ...longIds(3)]);
  await shop.sync();
  const [newest] = (await listed(shop)).renders;

  const answer = await shop.call(`/api/v1/renders/${newest?.run_id}`);

  assertDescribed("GET /api/v1/renders/{id}", answer);
  const { files } = dataOf<RenderDetail>(answer);
  const gmc = files.find(({ file }) => file === "gmc.tsv");
  assert.deepEqual([gmc?.written, gmc?.excluded, gmc?.refused], [5, 0, 3]);
  const [reason] = gmc?.reasons ?? [];
  assert.deepEqual([reason?.code, reason?.count], ["id_too_long", 3]);
  assert.match(reason?.remedy ?? "", /shorter ids/);
  assert.match(reason?.example?.message ?? "", /\w/);
});

test("every refused item is listed in pages, with filters by file, reason and text, and as CSV", async () => {
  const shop = await api.openShop([...mugs(1), ...longIds(60)]);
  await shop.sync();
  const [newest] = (await listed(shop)).renders;
  const path = `/api/v1/renders/${newest?.run_id}/refusals`;
  const ask = async (query: string) => {
    const answer = await shop.call(`${path}?${query}`);
    assertDescribed("GET /api/v1/renders/{id}/refusals", answer);
    return dataOf<Refusals>(answer);
  };

  const all = await ask("limit=500");
  const refused = newest?.files.reduce((sum, file) => sum + file.refused, 0);
  assert.deepEqual([all.refusals.length, all.is_complete, all.next_cursor], [refused, true, null]);
  const pages = await allPages(ask, "limit=7");
  assert.deepEqual(
    pages.flatMap(({ refusals }) => refusals),
    all.refusals,
  );
  assert.equal((await ask("file=gmc.tsv&limit=500")).refusals.length, 60);
  assert.equal((await ask("file=gmc.tsv&q=0042")).refusals.length, 1);
  assert.equal((await ask("code=missing_brand")).refusals.length, 0);
  const table = await shop.call(`${path}.csv?file=gmc.tsv`);
  assert.equal(table.headers["content-type"], "text/csv; charset=utf-8");
  const rows = parse<Record<string, string>>(table.text, { columns: true });
  assert.equal(rows.length, 60);
  assert.deepEqual(Object.keys(rows[0] ?? {}), ["file", "item_id", "included", "code", "field", "message"]);
  const middle = Buffer.from("[5]").toString("base64url");
  assertProblem(await shop.call(`${path}?cursor=${middle}`), 400, "invalid_request");
});

test("if the list is missing on disk, the first refusals of each file are shown, and is_complete is false", async () => {
  const shop = await api.openShop([...mugs(1), ...longIds(30)]);
  await shop.sync();
  const [newest] = (await listed(shop)).renders;
  await rm(join(api.dataDir, "feeds", shop.id), { recursive: true });

  const path = `/api/v1/renders/${newest?.run_id}/refusals`;
  const { is_complete, refusals } = dataOf<Refusals>(await shop.call(`${path}?file=gmc.tsv`));
  const table = await shop.call(`${path}.csv?file=gmc.tsv`);

  assert.deepEqual([is_complete, refusals.length], [false, 20]);
  assert.equal(parse(table.text, { columns: true }).length, 20);
});

test("renders of other catalogs are not found", async () => {
  const [shop, other] = [await api.openShop(mugs(1)), await api.openShop(mugs(1))];
  await other.sync();
  const [theirs] = (await listed(other)).renders;

  for (const path of ["", "/refusals", "/refusals.csv"])
    assertProblem(await shop.call(`/api/v1/renders/${theirs?.run_id}${path}`), 404, "not_found");
});
