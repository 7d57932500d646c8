/** The audit as part of a render: what it stores, and that its failure does not affect the feeds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFeeds, render, runsOf, sync } from "../../../test/actions.ts";
import { article, articles, openShop, type Row } from "../../../test/fakes/shop.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import { type ScoreChange, countChange } from "../../audit/change.ts";
import { type AuditReport, readReport } from "../../audit/report.ts";
import { findNewestAudit, type NewestAudit } from "../../store/audits.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const home = closeAfterTests(await installation());
const shop = closeAfterTests(await openShop());

type Stocked = TestCatalog & { readonly source: string };

async function stocked(rows: readonly Row[]): Promise<Stocked> {
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  await restock({ ...catalog, source }, rows);
  return { ...catalog, source };
}

async function restock(catalog: Stocked, rows: readonly Row[]): Promise<void> {
  shop.stock(rows);
  assert.equal((await sync(home, catalog, catalog.source)).status, 200);
}

const newest = async ({ id }: TestCatalog): Promise<NewestAudit> =>
  (await findNewestAudit(home.db, id)) ?? assert.fail("no audit");

type Kept = { readonly itemId: string; readonly verdict: Buffer | null; readonly xmin: string };
const verdicts = ({ id }: TestCatalog): Promise<readonly Kept[]> =>
  home.db.query<Kept>({
    text: "select item_id, verdict, xmin::text from verdicts where catalog_id = $1 order by item_id",
    values: [id],
  });

test("every item has a verdict, and together they add up to the score", async () => {
  const catalog = await stocked([...articles(3), article("poor", { title: "X", description: "" })]);

  const kept = await verdicts(catalog);
  const report = JSON.parse((await newest(catalog)).report) as AuditReport;

  assert.deepEqual(
    kept.map(({ itemId }) => itemId),
    ["a1", "a2", "a3", "poor"],
  );
  const count = countChange(report, report);
  for (const { verdict } of kept) count.items(verdict, verdict);
  // It throws unless the verdicts are exactly those of the report.
  assert.equal(count.finish().kind, "explained");
});

test("only changed verdicts are written; those of removed items are deleted", async () => {
  const catalog = await stocked(articles(4));
  const first = await verdicts(catalog);

  await restock(catalog, [article("a1", { description: "" }), ...articles(3).slice(1), article("b1")]);

  const second = await verdicts(catalog);
  assert.deepEqual(
    second.map(({ itemId }) => itemId),
    ["a1", "a2", "a3", "b1"],
  );
  const written = second.filter(({ xmin }) => !first.some((one) => one.xmin === xmin));
  assert.deepEqual(
    written.map(({ itemId }) => itemId),
    ["a1", "b1"],
  );
});

test("an audit that cannot be stored leaves a failed run and the previous verdicts, and the feeds are published", async () => {
  const catalog = await stocked(articles(2));
  const [score, kept] = [(await newest(catalog)).score, await verdicts(catalog)];
  await home.db.execute({
    text: "alter table audits add constraint broken check (false) not valid",
    values: [],
  });

  await restock(catalog, [article("a1", { title: "New name" })]);

  await home.db.execute({ text: "alter table audits drop constraint broken", values: [] });
  const runs = await runsOf(home.db, catalog.id);
  assert.deepEqual(
    runs.slice(-3).map(({ kind, state }) => [kind, state]),
    [
      ["sync", "succeeded"],
      ["render", "succeeded"],
      ["audit", "failed"],
    ],
  );
  assert.match((await readFeeds(home, catalog)).files["acp.csv"]?.text ?? "", /New name/);
  assert.deepEqual([(await newest(catalog)).score, await verdicts(catalog)], [score, kept]);

  // Nothing has changed since, but the audit is owed.
  await render(home, catalog);
  assert.equal((await verdicts(catalog)).length, 1);
});

test("an overdue sync costs points, and a sync without changes restores them", async () => {
  const catalog = await stocked(articles(2));
  const fresh = (await newest(catalog)).score;
  await home.db.execute({
    text: `update runs set finished_at = finished_at - interval '3 days' where catalog_id = $1`,
    values: [catalog.id],
  });

  await render(home, catalog);
  const stale = (await newest(catalog)).score;
  await restock(catalog, articles(2));

  assert.ok(stale < fresh, `${stale} < ${fresh}`);
  assert.equal((await newest(catalog)).score, fresh);
});

test("only the newest audit keeps its report; older ones keep score and grade", async () => {
  const catalog = await stocked(articles(1));
  await render(home, catalog);
  await render(home, catalog);

  const kept = await home.db.query<{ has: boolean; score: number }>({
    text: "select report is not null as has, score from audits where catalog_id = $1 order by created_at",
    values: [catalog.id],
  });

  assert.deepEqual(
    kept.map(({ has }) => has),
    [false, false, true],
  );
});

const reportOf = async (catalog: TestCatalog): Promise<AuditReport> =>
  JSON.parse((await newest(catalog)).report) as AuditReport;

test("rejected rows cost points and are a part of the change", async () => {
  const catalog = await stocked(articles(4));
  const before = await reportOf(catalog);

  await restock(catalog, [...articles(4), article("b1", { price: "" }), article("b2", { title: "" })]);

  const { items, rejected, score, rejection_reasons, formats } = await reportOf(catalog);
  assert.deepEqual([items, rejected], [4, 2]);
  assert.ok(score < before.score, `${score} < ${before.score}`);
  assert.deepEqual(rejection_reasons.map(({ code }) => code).toSorted(), ["missing_price", "missing_title"]);
  assert.deepEqual(
    formats.map(({ total }) => total),
    [6, 6, 6],
  );
  const change = JSON.parse((await newest(catalog)).change ?? "{}") as ScoreChange;
  assert.ok(change.kind === "explained");
  assert.ok(change.parts?.some((part) => part.kind === "rejected" && part.items === 2 && part.points < 0));
});

test("an unchanged catalog is audited again when the rejected rows change", async () => {
  const catalog = await stocked([...articles(3), article("b1", { price: "" })]);
  const [before, kept] = [await reportOf(catalog), await verdicts(catalog)];

  await restock(catalog, articles(3));

  const after = await reportOf(catalog);
  assert.deepEqual([before.rejected, after.rejected], [1, 0]);
  assert.ok(after.score > before.score);
  assert.deepEqual(await verdicts(catalog), kept, "no item has changed");
});

test("drafts cost no points", async () => {
  const catalog = await stocked([...articles(3), article("b1", { published: "draft" })]);

  assert.equal((await reportOf(catalog)).rejected, 0);
});

test("a report of an earlier version is read with default values", async () => {
  const catalog = await stocked(articles(2));
  const later = new Set(
    "rejected rejection_reasons refusals gain score_if_fixed grade_if_fixed refused field applies expects refused_by".split(
      " ",
    ),
  );
  const text = JSON.stringify(await reportOf(catalog), (key, value: unknown) =>
    later.has(key) ? undefined : value,
  );

  const { score, rules, formats, ...rest } = readReport(text);

  assert.deepEqual([rest.rejected, rest.rejection_reasons, rest.refusals], [0, [], null]);
  assert.ok(rules.every(({ gain, score_if_fixed }) => gain === 0 && score_if_fixed === score));
  assert.ok(rules.every(({ expects, refused_by: by }) => expects !== "" && Array.isArray(by)));
  assert.ok(formats.every((format) => format.refusals === null));
});

test("the falling rule is the one that lost most points when the score last fell, also by new items", async () => {
  const catalog = await stocked(articles(6));
  const before = await newest(catalog);
  // One item that stays loses a little, new ones lose a lot by another rule.
  const stays = [article("a1", { brand: "" }), ...articles(6).slice(1)];
  const poor = (count: number) =>
    Array.from({ length: count }, (_, at) => article(`new${at}`, { description: "" }));
  await restock(catalog, [...stays, ...poor(6)]);
  const fallen = await newest(catalog);
  const { parts = [] } = JSON.parse(fallen.change ?? "{}") as ScoreChange;
  await restock(catalog, [...stays.slice(0, 5), article("a6", { brand: "" }), ...poor(1)]);
  const risen = await newest(catalog);

  assert.ok(before.score > fallen.score && fallen.score < risen.score);
  assert.ok(parts.some(({ rule = "", points }) => rule.includes("brand") && points < 0));
  assert.equal(before.highlights?.falling_rule, null);
  assert.match(fallen.highlights?.falling_rule ?? "", /description/);
  assert.equal(risen.highlights?.falling_rule, fallen.highlights?.falling_rule);
});
