import assert from "node:assert/strict";
import { test } from "node:test";
import { openAudit } from "./audit.ts";
import { KNOWN_FAULTS } from "./known-faults/all.fixture.ts";
import { type PerfectCatalog, groupsOf, PERFECT } from "./perfect.fixture.ts";
import { ALL_RULES } from "./ruleset.ts";
import { decodeVerdict, scoreOf } from "./verdict.ts";

function audit({ context, items }: PerfectCatalog) {
  const audit = openAudit(context);
  const verdicts = groupsOf(items).flatMap((group) => audit.group(group));
  return { verdicts, report: audit.finish() };
}

test("a perfect catalog has 100 points, an A and no findings, and every rule is evaluated", () => {
  const { verdicts, report } = audit(PERFECT);

  assert.deepEqual(
    report.rules.filter(({ items }) => items > 0).map(({ id, examples }) => [id, examples]),
    [],
  );
  assert.deepEqual(verdicts, []);
  assert.equal(report.score, 100);
  assert.equal(report.grade, "A");
  assert.equal(report.ceiling, null);
  assert.deepEqual(
    report.rules.filter(({ judged }) => judged === 0).map(({ id }) => id),
    [],
  );
});

for (const { rule, what, earned, mutate } of KNOWN_FAULTS) {
  test(`${rule} has exactly one finding (${what}), and no other rule has any`, () => {
    const { verdicts, report } = audit(mutate(PERFECT));

    const found = report.rules.filter(({ items }) => items > 0);
    assert.deepEqual(
      found.map(({ id, items }) => [id, items]),
      [[rule, 1]],
      JSON.stringify(found.flatMap(({ examples }) => examples)),
    );
    const [{ examples, message } = { examples: [], message: null }] = found;
    assert.match(message ?? examples[0]?.message ?? "", /^\S.*\.$/);
    if (message !== null) return;
    assert.deepEqual(
      examples.map((example) => example.earned),
      [`${earned}/12`],
    );
    assert.equal(verdicts.length, 1);
    const [{ encoded, score } = { encoded: new Uint8Array(), score: -1 }] = verdicts;
    assert.equal(scoreOf(decodeVerdict(encoded)), score);
    assert.deepEqual(
      decodeVerdict(encoded).findings.map((finding) => finding.earned),
      [earned],
    );
  });
}

test("every rule has at least one test case", () => {
  const tested = new Set(KNOWN_FAULTS.map(({ rule }) => rule));

  assert.deepEqual(
    ALL_RULES.map(({ id }) => id).filter((id) => !tested.has(id)),
    [],
  );
});
