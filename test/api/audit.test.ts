/** The audit over the API: the score, its history, its findings, and the details of each item. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import type { Row } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, RunningApi, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());

type Data = Readonly<Record<string, unknown>>;
const dataOf = (answer: Answer): Data => {
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: Data }).data;
};

type Rule = { id: string; lost: number; items: number; examples: { item_id: string }[] };
type Audit = {
  run_id: string;
  catalog_score: number;
  grade: string;
  previous_score: number | null;
  items: number;
  raw: number;
  rules: Rule[];
  change: {
    kind: string;
    difference: number;
    parts: { kind: string; rule?: string; points: number }[];
  } | null;
};
const auditOf = async (shop: Shop): Promise<Audit> =>
  dataOf(await shop.call("/api/v1/audit"))["audit"] as Audit;

const synced = async (...rows: Parameters<RunningApi["openShop"]>): Promise<Shop> => {
  const shop = await api.openShop(...rows);
  assert.equal((await shop.sync()).status, 200);
  return shop;
};

/** The parameter for the page after this one; nothing after the last. */
const afterwards = (page: Data): string =>
  page["next_cursor"] === null ? "" : `&cursor=${page["next_cursor"] as string}`;

type Finding = { item_id: string; rule: string; severity: string; message: string | null; lost: number };
async function everyFinding(shop: Shop, query: string, limit: number): Promise<Finding[]> {
  const all: Finding[] = [];
  let cursor = "";
  do {
    const page = dataOf(await shop.call(`/api/v1/audit/findings?limit=${limit}${query}${cursor}`));
    const findings = page["findings"] as Finding[];
    assert.ok(findings.length <= limit);
    all.push(...findings);
    cursor = afterwards(page);
  } while (cursor !== "");
  return all;
}

describe("the newest audit", () => {
  test("is null before the first sync, and exists when the sync call answers", async () => {
    const shop = await api.openShop(mugs(3));
    assert.deepEqual(dataOf(await shop.call("/api/v1/audit")), { audit: null, last_failure: null });

    await shop.sync();

    const audit = await auditOf(shop);
    assert.equal(audit.items, 3);
    assert.equal(audit.previous_score, null);
    assert.equal(audit.change, null);
    assert.ok(audit.catalog_score > 0 && audit.catalog_score < 100);
  });

  test("accounts for every point: the score and the losses of all rules add up to 100", async () => {
    const { raw, rules } = await auditOf(await synced(mugs(7)));

    const lost = rules.reduce((sum, rule) => sum + Math.round(100 * rule.lost), 0);
    assert.equal(lost + Math.round(100 * raw), 10_000);
  });

  test("of an empty catalog has score 0 and grade F, with the reason", async () => {
    const audit = (await auditOf(await synced([]))) as Audit & { summary: string };

    assert.deepEqual([audit.catalog_score, audit.grade, audit.items], [0, "F", 0]);
    assert.match(audit.summary, /no items/);
  });

  test("counts rejected rows, with the reasons and what fixing them would gain", async () => {
    const shop = await synced([...mugs(3), { id: "bad", price: "a lot" }]);

    const audit = (await auditOf(shop)) as Audit & {
      rejected: number;
      summary: string;
      rejection_reasons: { code: string }[];
      refusals: { items: number; gain: number; score_if_fixed: number; rules: string[] };
      formats: { ready: number; total: number; score: number }[];
      rules: (Rule & { gain: number; score_if_fixed: number })[];
    };
    assert.deepEqual([audit.items, audit.rejected], [3, 1]);
    assert.equal(audit.rejection_reasons[0]?.code, "invalid_price");
    assert.match(audit.summary, /could not be stored/);
    assert.ok(audit.refusals.rules.includes("eligibility.rejected"));
    assert.equal(audit.refusals.score_if_fixed - audit.catalog_score, audit.refusals.gain);
    for (const { ready, total, score } of audit.formats) assert.ok(total === 4 && score <= 25 * ready);
    for (const { gain, score_if_fixed } of audit.rules)
      assert.equal(score_if_fixed - audit.catalog_score, gain);
    const rule = audit.rules.find(({ id }) => id === "eligibility.rejected");
    assert.deepEqual([rule?.items, rule?.examples[0]?.item_id], [1, "bad"]);
    assert.deepEqual(await everyFinding(shop, "&rule=eligibility.rejected", 5), []);
  });

  test("of an uploaded file is the same as that of the file by URL, with its rejected rows", async () => {
    type WithRejected = Audit & { rejected: number; rejection_reasons: object[]; summary: string };
    const rows = [...mugs(6), { id: "bad", price: "a lot" }, { id: "mug-001" }, { id: "worse", price: "" }];
    const byUrl = (await auditOf(await synced(rows))) as WithRejected;
    // Its source has no items, and was synced as recently.
    const shop = await synced([]);
    const headers = { "content-type": "application/octet-stream" };
    const push = async (method: "PUT" | "PATCH", file: readonly Row[]) => {
      const answer = await shop.call("/api/v1/catalog", { method, headers, body: csv(file) });
      assert.equal(answer.status, 200, answer.text);
      return (await auditOf(shop)) as WithRejected;
    };

    const uploaded = await push("PUT", rows);
    const changed = await push("PATCH", [
      { id: "mug-002", title: "Large mug" },
      { id: "none", price: "?" },
    ]);
    const corrected = await push("PATCH", [{ id: "bad" }]);
    const whole = await push("PUT", [...mugs(6), { id: "bad" }, { id: "worse" }]);

    assert.equal(byUrl.rejected, 3);
    const compared = ({ catalog_score, rejected, rejection_reasons, summary }: WithRejected) => ({
      catalog_score,
      rejected,
      rejection_reasons,
      summary,
    });
    assert.deepEqual(compared(uploaded), compared(byUrl));
    assert.equal(changed.rejected, 3, "an update neither adds nor removes rejected rows");
    assert.equal(corrected.rejected, 2, "except those whose items it adds");
    assert.equal(whole.rejected, 0);
  });

  test("states for every rule what it requires, and which channels refuse an item for it", async () => {
    type Required = Rule & { field: string; expects: string; formats: string[]; refused_by: string[] };
    const rules = (await auditOf(await synced(mugs(2)))).rules as Required[];

    for (const { id, field, expects, formats, refused_by } of rules) {
      assert.ok(field !== "" && expects !== "" && formats.length > 0, id);
      assert.ok(
        refused_by.every((channel) => formats.includes(channel)),
        id,
      );
    }
    const brand = rules.find(({ id }) => id === "eligibility.brand");
    assert.deepEqual([brand?.field, brand?.refused_by], ["brand", ["acp"]]);
  });

  test("explains a change of the score in parts that add up", async () => {
    const shop = await synced(mugs(4));
    const before = await auditOf(shop);
    shop.sells([{ id: "mug-001", title: "SALE!!! BEST PRICE" }, ...mugs(4).slice(1), { id: "new" }]);

    await shop.sync();

    const { change, catalog_score, previous_score } = await auditOf(shop);
    assert.equal(previous_score, before.catalog_score);
    assert.ok(change?.kind === "explained");
    assert.equal(change.difference, catalog_score - before.catalog_score);
    const sum = change.parts.reduce((total, { points }) => total + Math.round(100 * points), 0);
    assert.equal(sum, 100 * change.difference);
    assert.ok(change.parts.some(({ kind, points }) => kind === "rule" && points < 0));
    assert.ok(change.parts.some(({ kind }) => kind === "newcomers"));
  });

  test("of an unchanged catalog is a new run with the same result", async () => {
    const shop = await synced(mugs(2));
    const first = await auditOf(shop);

    await shop.call("/api/v1/feeds", { method: "POST" });

    const second = await auditOf(shop);
    assert.notEqual(second.run_id, first.run_id);
    assert.equal(second.catalog_score, first.catalog_score);
    assert.deepEqual(second.change?.parts, []);
    assert.deepEqual(second.rules, first.rules);
  });
});

describe("the history of audits", () => {
  test("has all audits, newest first, in pages without gaps or repetitions", async () => {
    const shop = await synced(mugs(2));
    for (let i = 0; i < 4; i += 1) await shop.call("/api/v1/feeds", { method: "POST" });
    const all = dataOf(await shop.call("/api/v1/audits"))["audits"] as Data[];
    assert.equal(all.length, 5);

    const paged: Data[] = [];
    let cursor = "";
    do {
      const page = dataOf(await shop.call(`/api/v1/audits?limit=2${cursor}`));
      paged.push(...(page["audits"] as Data[]));
      cursor = afterwards(page);
    } while (cursor !== "");

    assert.deepEqual(paged, all);
    const times = all.map(({ created_at }) => String(created_at));
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.equal(all[0]?.["run_id"], (await auditOf(shop)).run_id);
  });
});

test("an audit of the past still says why its score changed", async () => {
  const shop = await synced(mugs(4));
  const first = await auditOf(shop);
  shop.sells([{ id: "mug-001", title: "SALE!!! BEST PRICE" }, ...mugs(4).slice(1)]);
  await shop.sync();
  const second = await auditOf(shop);
  shop.sells(mugs(4));
  await shop.sync();

  const past = dataOf(await shop.call(`/api/v1/audits/${second.run_id}`));
  assert.deepEqual(past["change"], second.change);
  assert.deepEqual(
    [past["catalog_score"], past["previous_score"]],
    [second.catalog_score, first.catalog_score],
  );
  assert.equal(dataOf(await shop.call(`/api/v1/audits/${first.run_id}`))["change"], null);
  const other = await api.openShop();
  assertProblem(await other.call(`/api/v1/audits/${first.run_id}`), 404, "not_found");
});

describe("findings", () => {
  test("are the same in pages of any size, and each is counted by its rule", async () => {
    const shop = await synced(mugs(9));
    const { rules } = await auditOf(shop);

    const whole = await everyFinding(shop, "", 500);

    assert.deepEqual(await everyFinding(shop, "", 1), whole);
    assert.deepEqual(await everyFinding(shop, "", 7), whole);
    for (const { id, items } of rules) {
      if (id.startsWith("eligibility.settings")) continue;
      const found = whole.filter(({ rule }) => rule === id).length;
      if (found > 0) assert.equal(found, items, id);
    }
    assert.ok(whole.length > 9);
    assert.ok(whole.every(({ message }) => message !== null));
  });

  test("are filtered by rule, severity and item", async () => {
    const shop = await synced([...mugs(5), { id: "odd", title: "SALE!!! BEST PRICE" }]);
    const whole = await everyFinding(shop, "", 500);
    const rule = whole.find(({ item_id }) => item_id === "odd")?.rule ?? assert.fail();

    assert.deepEqual(
      await everyFinding(shop, `&rule=${rule}`, 2),
      whole.filter((one) => one.rule === rule),
    );
    for (const severity of ["critical", "major", "minor", "info"]) {
      const expected = whole.filter((one) => one.severity === severity);
      assert.deepEqual(await everyFinding(shop, `&severity=${severity}`, 3), expected, severity);
    }
    assert.deepEqual(
      await everyFinding(shop, "&item_id=odd", 2),
      whole.filter(({ item_id }) => item_id === "odd"),
    );
    assert.deepEqual(await everyFinding(shop, "&item_id=nobody", 2), []);
  });

  test("are a table for spreadsheets too, with the title of each item and no formulas", async () => {
    const shop = await synced([{ id: "a", title: "=1+1" }, { id: "b" }]);

    const answer = await shop.call("/api/v1/audit/findings.csv?rule=identity.identifier_present");

    assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8");
    assert.match(String(answer.headers["content-disposition"]), /findings-identity.identifier_present\.csv/);
    const [head, first, second, end] = answer.text.split("\r\n");
    assert.equal(head, "item_id,item_title,rule,title,severity,field,lost,message,advice");
    assert.match(String(first), /^a,'=1\+1,identity\.identifier_present,/);
    assert.match(String(second), /^b,Mug b,identity\.identifier_present,/);
    assert.equal(end, "");
    const all = (await shop.call("/api/v1/audit/findings.csv")).text.trimEnd().split("\r\n");
    assert.equal(all.length - 1, (await everyFinding(shop, "", 3)).length);
    assertProblem(await shop.call("/api/v1/audit/findings.csv?rule=none"), 400, "invalid_request");
  });

  test("of another catalog are not visible", async () => {
    await synced(mugs(3));
    const other = await api.openShop();

    assert.deepEqual(await everyFinding(other, "", 10), []);
    assertProblem(await other.call("/api/v1/items/mug-001"), 404, "not_found");
  });
});

describe("items", () => {
  test("are listed in pages by id, each with its score", async () => {
    const shop = await synced(mugs(5));

    const first = dataOf(await shop.call("/api/v1/items?limit=3"));
    const second = dataOf(await shop.call(`/api/v1/items?limit=3&cursor=${String(first["next_cursor"])}`));

    const items = [...(first["items"] as Data[]), ...(second["items"] as Data[])];
    assert.deepEqual(
      items.map(({ id }) => id),
      mugs(5).map(({ id }) => id),
    );
    assert.equal(second["next_cursor"], null);
    for (const { score, findings } of items) assert.ok(Number(score) < 100 && Number(findings) > 0);
  });

  test("show the stored item, the reasons of its score, and its row in each feed", async () => {
    const shop = await synced([...mugs(1), { id: "no link/✓ %", price: "12.00 USD" }]);

    const view = dataOf(await shop.call(`/api/v1/items/${encodeURIComponent("no link/✓ %")}`));

    const item = view["item"] as Data;
    assert.deepEqual([item["id"], item["price"]], ["no link/✓ %", { amount: "12.00", currency: "USD" }]);
    const audit = view["audit"] as { score: number; findings: Finding[] };
    assert.equal(audit.score, view["score"]);
    const lost = audit.findings.reduce((sum, finding) => sum + finding.lost, 0);
    assert.equal(Math.floor(100 - lost + 0.02), audit.score);
    const feeds = view["feeds"] as { file: string; included: boolean; text: string | null }[];
    assert.deepEqual(
      feeds.map(({ file }) => file),
      ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"],
    );
    for (const { file, included, text } of feeds) {
      const served = (await shop.fetch(file as "acp.csv")).text;
      assert.equal(included, served.includes("no link/✓ %"), file);
      if (text !== null) assert.ok(served.includes(text.split("\n").at(-2) ?? text.replace(/,$/, "")), file);
    }
  });

  test("that a destination will refuse show which feed and why", async () => {
    const shop = await synced([{ id: "x".repeat(120) }]);

    const view = dataOf(await shop.call(`/api/v1/items/${"x".repeat(120)}`));

    const feeds = view["feeds"] as { file: string; included: boolean; refusal: Data | null }[];
    const refusals = feeds.filter(({ refusal }) => refusal !== null);
    assert.deepEqual(
      refusals.map(({ file, included, refusal }) => [file, included, refusal?.["code"]]),
      [["gmc.tsv", true, "id_too_long"]],
    );
    for (const { refusal } of refusals) assert.match(String(refusal?.["message"]), /\w+ .*\./);
  });

  /** Two variants that differ in color, one of another brand than its sibling, and one item without any. */
  const GROUPED = [
    "id,title,description,link,image_link,availability,price,brand,condition,item_group_id,color",
    "t-red,Tee red,A tee that is red.,https://shop.example/t?c=red,https://shop.example/r.jpg,in_stock,9.00 USD,Kiln,new,tee,Red",
    "t-blue,Tee blue,A tee that is blue.,https://shop.example/t?c=blue,https://shop.example/b.jpg,in_stock,9.00 USD,Other,new,tee,Blue",
    "solo,Solo,A thing of no brand.,https://shop.example/s,https://shop.example/s.jpg,in_stock,5.00 USD,,new,,",
    "",
  ].join("\n");

  test("that are variants are rendered and audited together with their siblings", async () => {
    const shop = await api.openShop();
    shop.answers({ kind: "file", body: GROUPED });
    await shop.sync();

    const view = dataOf(await shop.call("/api/v1/items/t-blue"));
    const feeds = view["feeds"] as { file: "acp.csv"; text: string }[];
    for (const { file, text } of feeds) {
      const served = (await shop.fetch(file)).text;
      for (const line of text.split("\n")) assert.ok(served.includes(line), `${file}: ${line}`);
    }
    const sentences = await everyFinding(shop, "&rule=identity.group_consistent", 10);
    assert.deepEqual(
      sentences.map(({ item_id }) => item_id),
      ["t-red"],
    );
    assert.match(sentences[0]?.message ?? "", /brand/i);
  });

  test("without a brand are not refused if the catalog has a default brand", async () => {
    const shop = await api.openShop();
    shop.answers({ kind: "file", body: GROUPED });
    await api.db.execute({
      text: `update catalogs set settings = settings || '{"defaultBrand":"House"}' where id = $1`,
      values: [shop.id],
    });
    await shop.sync();

    const view = dataOf(await shop.call("/api/v1/items/solo"));

    assert.deepEqual((view["audit"] as { blocked_by: string[] }).blocked_by, []);
    assert.ok((view["feeds"] as { included: boolean }[]).every(({ included }) => included));
    const { formats } = (await auditOf(shop)) as unknown as { formats: { ready: number; total: number }[] };
    assert.ok(formats.every(({ ready, total }) => ready === total));
  });

  const bad = [
    "/items?limit=0",
    "/items?limit=501",
    "/items?limit=ten",
    "/items?cursor=x",
    "/items?colour=red",
    "/items/%00",
    "/audits?cursor=WyJub3QgYSBkYXRlIiwibm8gaWQiXQ",
    `/audits?cursor=${Buffer.from('["-200000-01-01T00:00:00.000Z","01a1ddb2-a7e6-7180-883b-d068360d753f"]').toString("base64url")}`,
    "/audit/findings?severity=awful",
    "/audit/findings?rule=no.such_rule",
    "/audit/findings?item_id=a%00b",
  ];
  for (const path of bad) {
    test(`${path} is a bad request, and the answer names the error`, async () => {
      const shop = await api.openShop();

      const { errors = [] } = assertProblem(await shop.call(`/api/v1${path}`), 400, "invalid_request");

      assert.ok(errors.length > 0);
    });
  }
});
