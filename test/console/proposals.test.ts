/** The review of proposals: by keys alone, with undo and a preview, until the values are in the feeds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { Proposal, ProposalGroup } from "../../src/contract/proposals.ts";
import { groupKeyOf } from "../../src/pipeline/enrich/new-proposal.ts";
import { newId } from "../../src/lib/id.ts";
import { saveProposals } from "../../src/store/proposals.ts";
import { untilRun } from "../actions.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import { outdoorRows } from "./outdoor-shop.ts";
import { openNamedShop, sync } from "./stock.ts";

let shop: Shop;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Outdoor shop");
  await sync(shop, outdoorRows(120));
  await look();
});

type Groups = {
  readonly groups: readonly ProposalGroup[];
  readonly counts: Readonly<Record<string, number>>;
};

async function look(): Promise<string> {
  const answer = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  const { run_id: runId } = (answer.json as { data: { run_id: string } }).data;
  await untilRun(running.api.db, runId, "succeeded");
  return runId;
}

const groupsOf = async (state = "pending"): Promise<Groups> =>
  ((await shop.call(`/api/v1/proposals?state=${state}`)).json as { readonly data: Groups }).data;

const hasFocus = async (page: Page, { group }: ProposalGroup) =>
  page.locator(`[data-group="${group}"] .group-toggle:focus`).waitFor();

/** Tab until the focus is on an element. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  assert.fail(`${selector} cannot be reached by Tab`);
}

const message = (page: Page, text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor();

test("with keys alone: look at the evidence, approve, undo, reject, skip, and approve one item of a group", {
  skip,
}, async () => {
  const before = await groupsOf();
  const [first, second, third] = before.groups;
  assert.ok(first && second && third);
  const { page, inspect } = await running.open(`/c/${shop.slug}/proposals`);
  await page.getByRole("list", { name: "Groups of proposals, the largest gain first" }).waitFor();
  await inspect("proposals");

  await tabTo(page, ".group-toggle");
  await page.keyboard.press("Enter");
  const open = page.locator(".proposal-group.current");
  await open.locator("mark").first().waitFor();
  assert.equal(await open.locator("mark").first().innerText(), first.examples[0]?.evidence[0]?.text);
  await inspect("proposals-open");

  await page.keyboard.press("a");
  await message(page, new RegExp(`^Approved: .*${first.items} item`));
  await page.locator(`[data-group="${first.group}"]`).waitFor({ state: "detached" });
  await hasFocus(page, second);
  assert.equal((await groupsOf("approved")).counts["approved"], first.items);
  await page.getByText(/changes? (is|are) not published yet/).waitFor();

  await page.keyboard.press("u");
  await message(page, /^Undone: /);
  await page.locator(`[data-group="${first.group}"]`).waitFor();
  assert.deepEqual((await groupsOf()).counts, before.counts);

  await page.locator(".group-toggle").first().focus();
  await page.keyboard.press("r");
  await message(page, /^Rejected: /);
  await page.locator(`[data-group="${first.group}"]`).waitFor({ state: "detached" });
  await hasFocus(page, second);
  await page.keyboard.press("s");
  await message(page, /^Skipped: /);
  await page.locator(`[data-group="${second.group}"]`).getByText("Skipped").waitFor();
  await hasFocus(page, third);

  await page.keyboard.press("k");
  await tabTo(page, "[data-proposal] button");
  await page.keyboard.press("a");
  await message(page, /^Approved: .*, 1 item\.$/);
  assert.equal((await groupsOf("approved")).counts["approved"], 1);
  assert.equal((await groupsOf("rejected")).counts["rejected"], first.items);
  await inspect("proposals-decided");

  // Letters that are typed into a field are letters.
  const count = (await groupsOf()).counts["pending"];
  await page.getByRole("combobox", { name: "Field" }).focus();
  await page.keyboard.press("r");
  assert.equal((await groupsOf()).counts["pending"], count);
});

test("the preview says what an approval does, and publishing puts the value into the feeds", {
  skip,
}, async () => {
  const { groups } = await groupsOf();
  const group = groups.find(({ field, is_grounded: isSure }) => field === "brand" && isSure) ?? assert.fail();
  const { page, inspect } = await running.open(`/c/${shop.slug}/proposals?field=brand&group=${group.group}`);
  const card = page.locator(`[data-group="${group.group}"]`);

  await card.getByRole("button", { name: "Preview the effect" }).click();
  await card.getByText(`${group.items} item${group.items === 1 ? "" : "s"} would change.`).waitFor();
  await card.getByText("Rows in acp.csv").waitFor();
  await inspect("proposals-preview");
  await card
    .getByRole("button", { name: /^Approve/ })
    .first()
    .click();
  await card.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Publish now" }).click();
  await page.getByText("The feeds are published.").waitFor();

  const ids = group.examples.map(({ item_id: id }) => id);
  const [header = "", ...lines] = (await shop.fetch("gmc.tsv")).text.trimEnd().split("\n");
  const at = header.split("\t").indexOf("brand");
  const row = lines.find((line) => line.split("\t")[0] === ids[0]) ?? "";
  assert.equal(row.split("\t")[at], group.value);

  await page.getByRole("link", { name: /^Approved \(/ }).click();
  await page.waitForURL(/state=approved/);
  await page.locator(".proposal-group").first().waitFor();
  await inspect("proposals-approved");
});

test("a text that a model wrote looks different and has no approval of the whole group", {
  skip,
}, async () => {
  const runId = await look();
  const draft = { extractor: "model", field: "description", value: "A sturdy bottle that keeps tea hot." };
  const [one, two] = outdoorRows(2).map(({ id }) => String(id));
  await saveProposals(
    running.api.db,
    { catalogId: shop.id, runId },
    [one, two].map((itemId = "") => ({
      ...draft,
      id: newId(),
      itemId,
      current: null,
      sourceHash: Buffer.alloc(16),
      version: 1,
      evidence: [],
      siblingId: null,
      confidence: 0.5,
      isGrounded: false,
      isGenerated: true,
      rule: null,
      gain: 0,
      groupKey: groupKeyOf(draft),
    })),
  );
  const key = groupKeyOf(draft).toString("hex");
  const { page, inspect } = await running.open(`/c/${shop.slug}/proposals?field=description&group=${key}`);
  const card = page.locator(`[data-group="${key}"]`);
  await card.getByText("Written by a model", { exact: true }).waitFor();
  await card.getByText("These values can only be approved one by one.").waitFor();
  assert.equal(
    await card
      .locator(".group-head")
      .getByRole("button", { name: /^Approve/ })
      .count(),
    0,
  );
  assert.equal(
    await card
      .locator("[data-proposal]")
      .getByRole("button", { name: /^Approve/ })
      .count(),
    2,
  );
  await inspect("proposals-generated");
});

test("a read-only key sees all of it, and every control says why it is disabled", { skip }, async () => {
  const { page, check } = await running.visit();
  await page.goto(running.url);
  await page.getByLabel("API key").fill(shop.readKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Catalogs" }).waitFor();
  const [group] = (await groupsOf()).groups;
  await page.goto(`${running.url}/c/${shop.slug}/proposals?group=${group?.group}`);
  await page.locator("mark").first().waitFor();
  const approve = page
    .locator(".proposal-group.current")
    .getByRole("button", { name: /^Approve/ })
    .first();
  assert.equal(await approve.getAttribute("aria-disabled"), "true");
  assert.equal(await approve.getAttribute("title"), "Needs a key with the scope “write”.");
  const { counts } = await groupsOf();
  await page.locator(".proposal-group.current .group-toggle").focus();
  await page.keyboard.press("a");
  await message(page, /^Needs a key with the scope “write”\.$/);
  assert.deepEqual((await groupsOf()).counts, counts);
  await check("proposals with a read-only key");
});

test("a value that the source has changed since its approval is decided again, beside the source's value", {
  skip,
}, async () => {
  const [approved] = (await groupsOf("approved")).groups.filter(({ field }) => field === "brand");
  const example: Proposal = approved?.examples[0] ?? assert.fail();
  const rows = outdoorRows(120).map((row) =>
    row["id"] === example.item_id ? { ...row, brand: "Someone else" } : row,
  );
  await sync(shop, rows);
  const { page, inspect } = await running.open(
    `/c/${shop.slug}/proposals?state=conflicted&group=${example.group}`,
  );
  await page.getByText("The source now has:").waitFor();
  await page.getByText("Someone else").waitFor();
  await inspect("proposals-conflicted");
  await page.getByRole("button", { name: /^Keep the approved value/ }).click();
  await page.getByText("There are no conflicts").waitFor();
  await inspect("proposals-no-conflicts");
});
