import assert from "node:assert/strict";
import { test } from "node:test";
import { error, Findings, info, mildly, warning } from "./findings.ts";

const RULES = {
  bad: error("It is bad."),
  odd: warning("It is odd."),
  note: info("It is noted."),
  both: error("It may be bad.", mildly("warning", "on Sundays")),
};

function collected(most: number): Findings<keyof typeof RULES> {
  return new Findings(RULES, most);
}

test("all findings are counted, also those that are not listed", () => {
  const findings = collected(5);
  for (let line = 1; line <= 1_000; line += 1) {
    findings.at(line, `item ${line}`);
    findings.add("odd", { field: "color" });
    if (line === 900) findings.add("bad");
  }

  const { counts, rules, problems } = findings.summary();
  assert.deepEqual(counts, { error: 1, warning: 1_000, info: 0 });
  assert.deepEqual(
    problems.map(({ rule, line }) => [rule, line]),
    [["bad", 900], ...[1, 2, 3, 4].map((line) => ["odd", line])],
  );
  assert.deepEqual(
    rules.map(({ rule, count, examples }) => [rule, count, examples.map(({ line }) => line)]),
    [
      ["bad", 1, [900]],
      ["odd", 1_000, [1, 2, 3]],
    ],
  );
});

test("a rule whose findings come late has examples, even if the list is full", () => {
  const findings = collected(1);
  findings.at(1, null);
  for (let n = 0; n < 10; n += 1) findings.add("odd");
  findings.add("note");

  const note = findings.summary().rules.find(({ rule }) => rule === "note");
  assert.equal(note?.examples.length, 1);
});

test("a rule with two severities is counted for each", () => {
  const findings = collected(10);
  findings.add("both");
  findings.add("both", { isMild: true });
  findings.add("bad", { isMild: true });

  const { counts, rules } = findings.summary();
  assert.deepEqual(counts, { error: 2, warning: 1, info: 0 });
  assert.deepEqual(
    rules.map(({ rule, severity }) => `${severity} ${rule}`),
    ["error both", "error bad", "warning both"],
  );
});

test("values are cut to 80 whole characters", () => {
  const findings = collected(10);
  const whole = "x".repeat(80);
  findings.add("bad", { value: whole });
  findings.add("bad", { value: `${whole}x` });
  findings.add("bad", { value: `${"x".repeat(78)}😀😀` });

  assert.deepEqual(
    findings.summary().problems.map(({ value }) => value),
    [whole, `${"x".repeat(79)}…`, `${"x".repeat(78)}…`],
  );
});
