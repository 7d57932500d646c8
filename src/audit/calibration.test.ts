/** Grades must be as a merchant expects. `UPDATE_DOCS=1` writes the table in docs/audit.md. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { expectSameRefusals } from "../../test/expect-agreement.ts";
import { auditCalibration, CALIBRATION } from "./calibration.fixture.ts";
import { groupsOf } from "./perfect.fixture.ts";

const PAGE = new URL("../../docs/audit.md", import.meta.url);
const [OPEN, CLOSE] = ["<!-- calibration -->\n", "<!-- /calibration -->"];

for (const calibration of CALIBRATION) {
  test(`${calibration.name}: grade ${calibration.grade}, because ${calibration.because}`, () => {
    const { grade, summary, rules } = auditCalibration(calibration);

    const costs = rules.filter(({ lost }) => lost > 0).map(({ id, lost }) => `${id} ${lost}`);
    assert.equal(grade, calibration.grade, [summary, ...costs].join("\n"));
  });
}

for (const { name, items } of CALIBRATION) {
  test(`${name}: the render, the validators and the audit refuse the same items`, async () => {
    await expectSameRefusals(groupsOf(items), { sellerName: "Shop" });
  });
}

/** The fix that brings most: of one rule, or of all refusals together. */
function firstAdvice({ rules, refusals }: ReturnType<typeof auditCalibration>): string {
  const [best] = rules;
  if (refusals !== null && refusals.rules.length > 1 && refusals.gain > (best?.gain ?? 0))
    return `${refusals.items} refused items, +${refusals.gain}`;
  return best === undefined || best.lost === 0 ? "–" : `${best.title}, +${best.gain}`;
}

function table(): string {
  const rows = CALIBRATION.map((calibration) => {
    const report = auditCalibration(calibration);
    const { name, shape, because } = calibration;
    return `| ${name}: ${shape} | ${report.score} | ${report.grade} | ${because} | ${firstAdvice(report)} |\n`;
  });
  return `| Catalog | Score | Grade | Because | Fix first |\n| --- | --- | --- | --- | --- |\n${rows.join("")}`;
}

test("the table in docs/audit.md has the computed scores", () => {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(OPEN) + OPEN.length, page.indexOf(CLOSE)];
  assert.ok(start >= OPEN.length && end >= start, "the page has no section for the calibration");
  if (process.env["UPDATE_DOCS"] === "1")
    writeFileSync(PAGE, page.slice(0, start) + table() + page.slice(end));
  else assert.equal(page.slice(start, end), table());
});
